import { describe, expect, test } from 'bun:test'
import { onCover } from '../../../../src/ui/tokens.ts'
import { inBrowser } from '../../../support/explorer/browser.ts'
import { serveExplorer, servePeople } from '../../../support/explorer/explorer-server.ts'
import { HOSTILE_NAMES } from '../../../support/explorer/hostile-names.ts'
import { findSvgErrors } from '../../../support/explorer/svg-errors.ts'
import { shareServer } from '../../../support/http/server.ts'
import { onEngine, openTestStore } from '../../../support/store/engines.ts'
import {
  ADA_WALLET,
  ada,
  GRACE_OLD_WALLET,
  NOON,
  named,
  PEOPLE,
  record,
} from '../../../support/store/records.ts'

const svgPathsOf = (id: number | string) => [`/badge/${id}.svg`, `/card/${id}.svg`]

const titleOf = (svg: string) => /<title>(.*)<\/title>/.exec(svg)?.[1]
const wordsOf = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1])

onEngine('sqlite', 'badges and cards', (open) => {
  const server = shareServer(() => open(PEOPLE), serveExplorer)

  test('badges show the score, the human checkmark, and whether the score is being recalculated', async () => {
    const ada = (await server.look('/badge/7.svg')).text
    expect(wordsOf(ada)).toEqual(['passport', '42.5… · human'])
    expect(titleOf(ada)).toBe('Passport score 42.5, human, being recalculated')
    const grace = (await server.look('/badge/3.svg')).text
    expect(wordsOf(grace)).toEqual(['passport', '42.5'])
    expect(titleOf(grace)).toBe('Passport score 42.5')
  })

  test('cards show the name, the score with its date and parts, and the host', async () => {
    const people = [{ ...ada, stale: false }, named(2, 'Beth', 50), named(3, 'Cleo', 1), named(4, 'Dora', 1)]
    await using server = await servePeople(people, { publicUrl: 'https://passports.example.com' })
    const svg = (await server.look('/card/7.svg')).text
    expect(wordsOf(svg)).toEqual([
      'Ada Lovélace 🐉',
      'Passport score, 2 January 2026',
      '42.5',
      'No. 1 in Activity',
      'Regular',
      'human',
      'Activity 12',
      'Identity 10.25',
      'Skills 20.25',
      'passportd',
      'passports.example.com',
    ])
    expect(svg).toContain('<title>Ada Lovélace 🐉: passport score 42.5</title>')
    expect(svg).toContain('width="1200" height="630" viewBox="0 0 1200 630" role="img"')
    // A preview of 300 pixels shows a quarter of these sizes.
    const sizes = [...svg.matchAll(/font-size="([\d.]+)"/g)].map(([, size]) => Number(size))
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(36)
  })

  test('the date on a card is legible at a width of 300 pixels, also in the month with the longest name', async () => {
    const now = () => Date.UTC(2026, 8, 30)
    await using server = await servePeople([record(1, { stale: false })], { now })
    const [, size] =
      /font-size="(\d+)"[^>]*>Passport score, 30 September 2026</.exec(
        (await server.look('/card/1.svg')).text,
      ) ?? []
    expect(Number(size)).toBeGreaterThanOrEqual(40)
  })

  test('cards draw the parts in proportion to an imported total, and the rest in grey', async () => {
    const scores = { total: 150, activity: 10, identity: 20, skills: 30 }
    await using server = await servePeople([record(1, { profile: { displayName: 'Ada' }, scores })])
    const { activity, identity, skills, soft } = onCover('')
    const width = 1056
    const svg = (await server.look('/card/1.svg')).text
    const ends = [activity, identity, skills, soft].map((color) => {
      const [, x, length] =
        new RegExp(`<rect x="([\\d.]+)" y="\\d+" width="([\\d.]+)" [^>]*fill="${color}"`).exec(svg) ?? []
      return Number(x) + Number(length)
    })
    const from = (ends[3] ?? 0) - width
    const shares = ends.map((end) => Math.round((150 * (end - from)) / width))
    expect(shares).toEqual([9, 29, 59, 150])
    expect(wordsOf(svg)).toContain('Other 90')
  })

  test('the parts of a score have textures on cards', async () => {
    const { activity, identity, skills } = onCover('')
    const svg = (await server.look('/card/7.svg')).text
    const textureOf = (color: string) =>
      new RegExp(`fill="${color}"/>(?:<path [^>]*stroke-dasharray="([\\d. ]+)")?`).exec(svg)?.[1]
    const textures = [activity, identity, skills].map(textureOf)
    expect([textures[0], new Set(textures).size]).toEqual([undefined, 3])
  })

  test.each(['badge', 'card'])(
    'a %s is found by id, by wallet in upper or lower case, and by the id of a merged passport',
    async (kind) => {
      const text = async (name: string) => (await server.look(`/${kind}/${name}.svg`)).text
      expect(await text(ADA_WALLET.toUpperCase().replace('0X', '0x'))).toBe(await text('7'))
      expect(await text(encodeURIComponent(ADA_WALLET).replace('a', '%61'))).toBe(await text('7'))
      expect(await text('900')).toBe(await text('3'))
      expect(await text(GRACE_OLD_WALLET)).toBe(await text('3'))
    },
  )

  test('an unknown passport gets a picture with status 404', async () => {
    const names = ['8', '99999999999999999999', '0xnobody', '%', '%00', '.svg', 'x'.repeat(200)]
    for (const path of names.flatMap(svgPathsOf)) {
      const { status, headers, text } = await server.look(path)
      expect([path, status]).toEqual([path, 404])
      expect(headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8')
      expect(text).toMatch(/ot found<\/text>/)
    }
    expect(server.errors).toEqual([])
  })
})

describe('the response for a badge or card', () => {
  const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

  test.each(['/badge/7.svg', '/card/7.svg'])('%s is cached for minutes and loads no file', async (path) => {
    await using server = await servePeople(PEOPLE)
    const first = await server.look(path)
    expect(first.status).toBe(200)
    expect(first.headers.get('Content-Type')).toBe('image/svg+xml; charset=utf-8')
    expect(first.headers.get('Cache-Control')).toBe('public, max-age=60, s-maxage=300')
    expect(first.headers.get('Content-Security-Policy')).toStartWith("default-src 'none'; img-src data:;")
    const etag = first.headers.get('ETag') ?? ''
    const headers = { 'If-None-Match': etag }
    expect((await server.look(path, { headers })).status).toBe(304)
    expect((await server.look('/badge/7.svg?theme=dark', { headers })).status).toBe(200)
    const head = await server.look(path, { method: 'HEAD' })
    expect([head.status, head.headers.get('ETag'), head.text]).toEqual([200, etag, ''])
    await server.store.passports.remove(7, NOON)
    expect((await server.look(path, { headers })).status).toBe(404)
    expect((await server.look(path, { method: 'HEAD' })).status).toBe(404)
  })

  test('depends on the theme; an unknown style or theme gets the default', async () => {
    const [light, dark, unknown] = await Promise.all(
      ['', '?theme=dark', '?show=__proto__&theme=__proto__'].map(
        async (query) => (await server.look(`/badge/7.svg${query}`)).text,
      ),
    )
    expect([dark === light, unknown === light]).toEqual([false, true])
  })

  test('omits a rank below the median, and shows an empty bar for the score 0', async () => {
    const nobody = (await server.look('/card/12.svg')).text
    expect(wordsOf(nobody)).toContain('Passport 12')
    expect(nobody).toContain(`fill="${onCover('').track}"`)
    expect(nobody).not.toMatch(/rank|Top/)
  })

  test('does not depend on the Host header', async () => {
    const { text } = await server.look('/card/7.svg', { headers: { Host: 'people.example:8080' } })
    expect(text).not.toContain('people.example')
  })

  test('is well-formed and small for any name and score', async () => {
    const people = HOSTILE_NAMES.map((name, at) => named(at + 1, name, 10 ** at % 1e9))
    await using server = await servePeople(people)
    for (const path of people.flatMap(({ id }) => svgPathsOf(id))) {
      const svg = (await server.look(path)).text
      expect(() => Bun.XML.parse(svg)).not.toThrow()
      expect(svg.length).toBeLessThan(path.startsWith('/badge') ? 6000 : 12_000)
      expect(svg).not.toMatch(
        /<script|<img|<style|style=|href="(?!#r\d+")|url\(|<foreignObject|[\u202a-\u202e\u2066-\u2069]/,
      )
    }
  })
})

inBrowser('badges and cards in a browser', (browser) => {
  test('a browser loads badges and cards without errors, and no text overflows', async () => {
    const people = HOSTILE_NAMES.map((name, at) =>
      record(at + 1, {
        profile: { displayName: name },
        human: at % 2 === 0,
        stale: at % 3 === 0,
        scores: {
          total: [0, 87, 42.25, 123456.78, 1e9][at % 5] as number,
          activity: 1e9 / 3,
          identity: at,
          skills: at * 1e8,
        },
      }),
    )
    await using server = await servePeople(people, { publicUrl: `https://${'long.'.repeat(49)}example` })
    // Badges have no name.
    const withNames = people.map(({ id }) => `/card/${id}.svg`)
    const paths = [...[1, 2, 3, 4, 5, 999].flatMap(svgPathsOf), ...withNames.slice(5)]
    const urls = paths.map((path) => server.url.origin + path)
    expect(await findSvgErrors(browser, urls)).toEqual([])
  })
})

test('the endpoint for shields.io responds with the score, or with an error message', async () => {
  await using server = await servePeople(PEOPLE, {
    settings: { name: 'x', index: true, accent: '#6b2d5c' },
  })
  const { status, headers, text } = await server.look('/badge/3.json')
  expect([status, headers.get('Content-Type')]).toEqual([200, 'application/json'])
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(JSON.parse(text)).toEqual({
    schemaVersion: 1,
    label: 'passport',
    message: '42.5',
    color: '6b2d5c',
    cacheSeconds: 300,
  })
  const missing = await server.look('/badge/4711.json')
  expect([missing.status, JSON.parse(missing.text)]).toEqual([
    404,
    { schemaVersion: 1, label: 'passport', message: 'not found', color: 'lightgrey', isError: true },
  ])
})

test.each([
  ['', '42.5… · human'],
  ['?show=x', '42.5… · human'],
  ['?show=level', 'Regular'],
  ['?show=top', 'No. 1 Activity'],
])('a badge with the query %p shows %p', async (query, message) => {
  await using server = await servePeople([...PEOPLE, record(101), record(102), record(103)])
  expect(JSON.parse((await server.look(`/badge/7.json${query}`)).text).message).toBe(message)
  expect((await server.look(`/badge/7.svg${query}`)).text).toContain(`>${message}</text>`)
})

test('the badge of a standing gives the rank of a passport without a high standing', async () => {
  await using server = await servePeople([1, 2, 3, 4].map((id) => named(id, `Person ${id}`, 10 * id)))
  const read = async (id: number) =>
    JSON.parse((await server.look(`/badge/${id}.json?show=top`)).text).message
  expect([await read(4), await read(2), await read(1)]).toEqual(['No. 1 overall', '3rd of 4', '4th of 4'])
})
