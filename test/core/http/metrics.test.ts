import { expect, test } from 'bun:test'
import type { RequestSummary } from '../../../src/core/http/parse-request.ts'
import { makeKey } from '../../support/http/keys.ts'
import { parseExposition, presentFamilies } from '../../support/http/prometheus.ts'
import { limited } from '../../support/http/servers.ts'
import { NOON } from '../../support/store/records.ts'

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
})
