import { expect, test } from 'bun:test'
import { servePeople } from '../../support/explorer/explorer-server.ts'
import { PEOPLE } from '../../support/store/records.ts'

const ORIGIN = 'https://passports.example.com'

test('oEmbed describes the card of a passport of this service', async () => {
  await using server = await servePeople(PEOPLE, { publicUrl: ORIGIN })
  const ask = (url: string, more = '') => server.look(`/oembed?url=${encodeURIComponent(url)}${more}`)
  const { status, headers, text } = await ask(`${ORIGIN}/passports/3`)
  expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json'])
  expect(JSON.parse(text)).toMatchObject({
    version: '1.0',
    type: 'photo',
    url: `${ORIGIN}/card/3.png`,
    width: 1200,
    height: 630,
    author_url: `${ORIGIN}/passports/3`,
    provider_name: 'passportd',
    provider_url: ORIGIN,
  })
  const page = (await server.look('/passports/3')).text
  const [, link = ''] =
    /<link rel="alternate" type="application\/json\+oembed" href="([^"]+)"/.exec(page) ?? []
  expect((await server.look(link.slice(ORIGIN.length))).text).toBe(text)
  const small = JSON.parse((await ask(`${ORIGIN}/passports/3`, '&maxwidth=600&maxheight=200')).text)
  expect([small.width, small.height]).toEqual([380, 200])
  expect((await ask(`${ORIGIN}/passports/3`, '&format=xml')).status).toBe(400)
  for (const url of [
    '',
    'x',
    `${ORIGIN}/`,
    `${ORIGIN}/passports/4711`,
    `${ORIGIN}/passports/%`,
    `${ORIGIN}/passports/3/score`,
    'https://evil.example/passports/3',
    `${ORIGIN}.evil.example/passports/3`,
    `http://passports.example.com/passports/3`,
  ]) {
    const { status, headers } = await ask(url)
    expect([url, status, headers.get('Content-Type')]).toEqual([url, 404, 'application/json'])
  }
})
