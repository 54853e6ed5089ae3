import { describe, expect, test } from 'bun:test'
import { createFixedWindow, createLimiter } from '../../../src/api/rate-limit.ts'
import { ServiceError } from '../../../src/domain/errors.ts'
import { parseTiers, type Tier } from '../../../src/domain/rate-limit-tier.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON, PEOPLE, record } from '../../support/store/records.ts'

const SVG = 'image/svg+xml; charset=utf-8'

const limiterOf = (tiers: string) =>
  createLimiter({
    tiers: parseTiers(tiers) as readonly Tier[],
    counter: createFixedWindow(() => NOON),
    now: () => NOON,
    isQuotaUsed: () => false,
  })

describe('errors of badges and cards', () => {
  test('the card of a comparison with an unknown passport responds with 404', async () => {
    await using server = await servePeople(PEOPLE, { rasterize: async () => new Uint8Array(4) })
    const statusOf = async (ids: string) => (await server.look(`/card/compare.png?ids=${ids}`)).status
    expect(await statusOf('7,12')).toBe(200)
    for (const ids of ['7,99999', '99999', '7,nobody', ''])
      expect([ids, await statusOf(ids)]).toEqual([ids, 404])
  })

  test('a picture request that gets a 404 or 429 receives an SVG, even if it asked for a PNG', async () => {
    await using server = await servePeople(PEOPLE, { limiter: limiterOf('pictures=1/10s') })
    for (const [path, expected] of [
      ['/card/99999.png', 404],
      ['/badge/7.svg', 429],
      ['/badge/7.svg?style=large', 429],
      ['/card/7.svg', 429],
      ['/card/7.png', 429],
      ['/card/compare.png?ids=7', 429],
    ] as const) {
      const { status, headers, text } = await server.look(path)
      const [type, caching] = [headers.get('Content-Type'), headers.get('Cache-Control')]
      expect([path, status, type, caching]).toEqual([path, expected, SVG, 'no-store'])
      expect(text).toMatch(expected === 404 ? /not found<\/text>/ : /busy<\/text>/)
      if (expected === 404) continue
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0)
      expect(headers.get('RateLimit-Policy')).toBe('"pictures";q=1;w=10')
    }
  })

  test('pages and pictures have separate rate limits', async () => {
    await using server = await servePeople(PEOPLE, { limiter: limiterOf('pictures=2/10s, explorer=1/10s') })
    const badges = Array<string>(3).fill('/badge/7.svg')
    const statuses: number[] = []
    for (const path of ['/', '/', ...badges]) statuses.push((await server.look(path)).status)
    expect(statuses).toEqual([200, 429, 200, 200, 429])
  })

  test.each([
    [500, new Error('secret of ours'), 'error'],
    [503, new ServiceError('unavailable', 'secret of ours'), 'busy'],
  ])('a picture responds with %d as a picture if the store fails', async (expected, error, words) => {
    await using store = await openTestStore('sqlite', PEOPLE)
    const passports = { ...store.passports, find: () => Promise.reject(error) }
    await using server = serveExplorer({ ...store, passports })
    for (const path of ['/badge/7.svg', '/card/7.svg', '/card/7.png']) {
      const { status, headers, text } = await server.look(path)
      expect([path, status, headers.get('Content-Type')]).toEqual([path, expected, SVG])
      expect(text).toContain(`${words}</text>`)
      expect(text).not.toContain('secret')
    }
    const { status, text } = await server.look('/badge/7.json')
    expect([status, JSON.parse(text).message]).toEqual([expected, words])
  })

  test.each(['/badge/7', '/badge/7.gif', '/card/7.jpg', `/badge/${'x'.repeat(9000)}.svg`])(
    'an unknown type or a long name gets a picture: %p',
    async (path) => {
      await using server = await servePeople(PEOPLE)
      for (const accept of ['text/html', 'application/json', 'image/*']) {
        const { status, headers } = await server.look(path, { headers: { Accept: accept } })
        expect([status, headers.get('Content-Type')]).toEqual([path.length > 8192 ? 414 : 404, SVG])
      }
    },
  )
})

describe('the endpoint for shields.io', () => {
  test('responds with the score, or with an error message', async () => {
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
})

describe('what a badge shows', () => {
  test.each([
    ['', '42.5… · human'],
    ['?show=x', '42.5… · human'],
    ['?show=level', 'Regular'],
    ['?show=top', 'No. 1 Activity'],
  ])('a badge with the query %p shows %p', async (query, message) => {
    await using server = await servePeople([...PEOPLE, record(101), record(102), record(103)])
    expect(JSON.parse((await server.look(`/badge/7.json${query}`)).text).message).toBe(message)
    for (const style of ['flat', 'plain']) {
      const { text } = await server.look(`/badge/7.svg${query}${query ? '&' : '?'}style=${style}`)
      expect(text).toContain(`>${message}</text>`)
    }
  })
})

describe('oEmbed', () => {
  const ORIGIN = 'https://passports.example.com'

  test('describes the card of a passport of this service', async () => {
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
})
