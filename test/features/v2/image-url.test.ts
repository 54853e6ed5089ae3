import { expect, test } from 'bun:test'
import { findImage } from '../../../src/features/v2/present.ts'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { serveRecords } from '../../support/http/server.ts'
import { presentV1 } from '../../support/mirror/present-v1.ts'
import { ada, grace, NOON, social } from '../../support/store/records.ts'

const LIST = '/api/v2/passports'
const SEARCH = '/api/v2/search/advanced/passport_app__passports?query[identity]=3'
const PEOPLE = [ada, { ...grace, socials: [social('twitter', 'grace')] }]

type Server = Awaited<ReturnType<typeof serveRecords>>

/** The images of Grace, who has none of her own, in all responses. */
async function imagesOf(server: Pick<Server, 'get'>, headers: Record<string, string> = {}) {
  const { passport } = (await server.get(`${LIST}/3`, { headers })).body
  const lists = [LIST, `${LIST}?keyword=grace`, `${LIST}?filter[twitter]=grace`, SEARCH]
  const listed = await Promise.all(
    lists.map(async (path) => (await server.get(path, { headers })).body.passports[0]),
  )
  return new Set(
    [passport, ...listed].flatMap(({ passport_profile, user }) => [
      passport_profile.image_url,
      user.profile_picture_url,
    ]),
  )
}

test('the image of a passport without one is its card on the requested host, which the service has', async () => {
  await using server = await servePeople(PEOPLE, { rasterize: async () => new Uint8Array(4) })
  const [image, ...others] = await imagesOf(server)
  expect([image, others]).toEqual([`${server.url.origin}/card/3.png`, []])
  const card = await fetch(image.replace('.png', '.svg'))
  expect([card.status, card.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  const other = { Host: 'passports.example.com:81' }
  expect(await imagesOf(server, other)).toEqual(new Set(['http://passports.example.com:81/card/3.png']))
  const { passport_profile } = (await server.get(`${LIST}/7`)).body.passport
  expect(passport_profile.image_url).toBe('https://example.com/lens/ada.png')
})

test('the URL of a card begins with PUBLIC_URL, whatever the requested host', async () => {
  await using server = await serveRecords({ explorer: true, publicUrl: 'https://example.org' }, PEOPLE)
  expect(await imagesOf(server, { Host: 'evil.example' })).toEqual(
    new Set(['https://example.org/card/3.png']),
  )
})

test('without the explorer there are no cards, and the image is empty', async () => {
  await using server = await serveRecords({}, PEOPLE)
  expect(await imagesOf(server)).toEqual(new Set(['']))
})

const SOCIALS = presentV1({ ...ada, stale: false, calculatedAt: NOON, merged: false }).passport_socials

const socials = (...urls: string[]) =>
  urls.flatMap((profile_image_url) => SOCIALS.map((social) => ({ ...social, profile_image_url })))
const shown = (imageUrl: string | undefined, ...urls: string[]) => findImage(imageUrl, () => socials(...urls))

test('the image is that of the record, or else the first valid image of the socials', () => {
  expect(shown('https://a.example/1.png', 'https://b.example/2.png')).toBe('https://a.example/1.png')
  expect(shown(undefined, '', 'HTTP://b.example/2.png', 'https://c.example')).toBe('HTTP://b.example/2.png')
  expect(shown('/relative.png', 'https://b.example/2.png')).toBe('https://b.example/2.png')
  expect(shown(undefined)).toBeUndefined()
})

test.each([
  '',
  '/a.png',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  'https://a b',
  ' https://example.com',
  'https://example.com/\n',
  `https://example.com/${'x'.repeat(2000)}`,
])('the image %p is never shown', (url) => expect(shown(url, url)).toBeUndefined())
