import { describe, expect, test } from 'bun:test'
import type { Tier } from '../../../src/core/config/rate-limit-tier.ts'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { createLimiter } from '../../support/http/rate-limits.ts'
import { ServiceError } from '../../support/program/errors.ts'
import { parseTiers } from '../../support/program/settings.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'

const SVG = 'image/svg+xml; charset=utf-8'

const limiterOf = (tiers: string) =>
  createLimiter({
    tiers: parseTiers(tiers) as readonly Tier[],
    now: () => NOON,
    isQuotaUsed: () => false,
  })

describe('errors of badges and cards', () => {
  test('a picture request that gets a 404 or 429 receives an SVG, even if it asked for a PNG', async () => {
    await using server = await servePeople(PEOPLE, { limiter: limiterOf('pictures=1/10s') })
    for (const [path, expected] of [
      ['/card/99999.png', 404],
      ['/badge/7.svg', 429],
      ['/card/7.svg', 429],
      ['/card/7.png', 429],
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
