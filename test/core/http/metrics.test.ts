import { expect, test } from 'bun:test'
import { V3 } from '../../../src/core/api/surface.ts'
import { ANONYMOUS_PRINCIPAL } from '../../../src/core/http/client-identity.ts'
import type { RequestSummary } from '../../../src/core/http/parse-request.ts'
import { createRequestCounter } from '../../../src/core/http/request-counter.ts'
import { route } from '../../../src/core/http/route.ts'
import { USAGE } from '../../support/features/keys.ts'
import { makeKey } from '../../support/http/keys.ts'
import { limited } from '../../support/http/limited-server.ts'
import { parseExposition, presentFamilies } from '../../support/http/prometheus.ts'
import { NOON } from '../../support/store/records.ts'

const greeting = route(V3, { name: 'list', path: '/' })

/** Each of these requests is sent once. */
const REQUESTS: [target: string, init: RequestInit, route: string, status: number, tier: string][] = [
  ['/api/v3/passports', {}, 'v3_list', 200, 'anonymous'],
  ['/api/v3/passports?limit=x', {}, 'v3_list', 400, 'anonymous'],
  ['/api/v3/passports', { method: 'POST' }, 'v3_list', 405, 'anonymous'],
  ['/api/v3/passports/7', {}, 'v3_passport', 200, 'anonymous'],
  ['/api/v3/passports/7', { headers: { 'X-API-KEY': 'wrong' } }, 'v3_passport', 401, 'none'],
  ['/api/v3/passports/8', {}, 'v3_passport', 404, 'anonymous'],
  ['/api/v3/nothing/here', {}, 'v3_other', 404, 'none'],
  ['/health', {}, 'health', 200, 'none'],
  ['/ready', {}, 'ready', 200, 'none'],
  ['/openapi.json', {}, 'page', 200, 'none'],
  ['/metrics', {}, 'not_found', 404, 'none'],
]

test('every response is counted once by route, status and tier, and API responses also count as usage', async () => {
  const summaries: RequestSummary[] = []
  await using server = await limited('few=4/10s', {
    onResponse: (summary) => summaries.push(summary),
  })
  const { id, init } = await makeKey(server.store, 1, { tier: 'few' })
  for (const [target, init] of REQUESTS) await server.get(target, init)
  for (let times = 0; times < 6; times++) await server.get('/api/v3/passports/3', init)

  const { families, value } = parseExposition(presentFamilies(server.usage.readMetrics()))
  const counted = (route: string, status: number, tier: string) =>
    value(`passportd_requests_total{route="${route}",status="${status}",tier="${tier}"}`)
  expect(families.get('passportd_requests_total')?.size).toBe(REQUESTS.length + 2)
  for (const [, , ...series] of REQUESTS) expect([series, counted(...series)]).toEqual([series, 1])
  expect([counted('v3_passport', 200, 'few'), counted('v3_passport', 429, 'few')]).toEqual([4, 2])
  expect(value('passportd_request_seconds_count{route="v3_passport"}')).toBe(9)
  for (const { seconds } of summaries) expect(seconds).toBeGreaterThan(0)

  const { counts, lastUsed } = server.usage.take()
  expect(counts.map(({ key, endpoint, status, count }) => [key, endpoint, status, count])).toEqual([
    ...REQUESTS.filter(([target]) => target.startsWith('/api/')).map(([, , route, status]) => [
      '',
      route,
      status,
      1,
    ]),
    [id, 'v3_passport', 200, 4],
    [id, 'v3_passport', 429, 2],
  ])
  expect([...lastUsed]).toEqual([[id, NOON]])
  await server.store.data(USAGE).add(counts, new Map())
  const stored = await server.store.data(USAGE).list({ since: '2026-01-01', until: '2026-01-03' })
  expect(stored.map(({ endpoint }) => endpoint)).toContain('v3_passport')
})

test('responses are counted by day, key, endpoint and status, and taking the counts resets them', () => {
  let now = Date.UTC(2026, 0, 31, 23, 59)
  const usage = createRequestCounter(() => now)
  const count = (id: string, status: number) => {
    const principal = { ...ANONYMOUS_PRINCIPAL, id }
    usage.count(
      { route: greeting, principal, tier: undefined, time: now, units: 1, isFree: false },
      status,
      0,
    )
  }
  const taken = () => usage.take().counts.map(({ day, key, status, count }) => [day, key, status, count])
  for (const [key, status] of [
    ['a', 200],
    ['a', 200],
    ['a', 404],
    ['', 200],
  ] as const)
    count(key, status)
  now += 60_000
  count('a', 200)
  expect(taken()).toEqual([
    ['2026-01-31', 'a', 200, 2],
    ['2026-01-31', 'a', 404, 1],
    ['2026-01-31', '', 200, 1],
    ['2026-02-01', 'a', 200, 1],
  ])
  count('a', 200)
  expect(taken()).toEqual([['2026-02-01', 'a', 200, 1]])
  expect(taken()).toEqual([])
})

test('every route has a histogram even before the first request', async () => {
  await using server = await limited('')
  const names = server.usage.readMetrics().flatMap(({ samples }) => samples.map(({ labels }) => labels.route))
  expect(names).toEqual(expect.arrayContaining(['v3_passport', 'v3_other', 'v3_diff', 'health', 'not_found']))
})
