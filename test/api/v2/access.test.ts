import { expect, test } from 'bun:test'
import { createMetrics } from '../../../src/api/metrics.ts'
import { presentFamilies } from '../../../src/api/prometheus.ts'
import { createFixedWindow, createLimiter } from '../../../src/api/rate-limit.ts'
import { createUsageCounter } from '../../../src/api/usage.ts'
import { NO_PLAN, type RetirementPlan } from '../../../src/domain/retirement.ts'
import { DEFAULT_TIERS } from '../../../src/domain/tier.ts'
import { createReference } from '../../../src/explorer/reference/reference-routes.ts'
import type { Store } from '../../../src/store/store.ts'
import { expectGolden } from '../../support/http/golden.ts'
import { makeKey } from '../../support/http/keys.ts'
import { parseExposition } from '../../support/http/prometheus.ts'
import { serveTest } from '../../support/http/server.ts'
import { startTestService } from '../../support/service.ts'
import { onEngine } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'

const V2 = ['/api/v2/passports', '/api/v2/passports/7', '/api/v2/passport_credentials?passport_id=7']
const HOUR = 3_600_000
const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }

const serveAt = (store: Store, plan: Partial<RetirementPlan>) =>
  serveTest(store, { now: () => NOON, plan: () => ({ ...NO_PLAN, ...plan }) })

onEngine('sqlite', 'V2', (open) => {
  test('is deprecated, switched off and removed with V1', async () => {
    await using store = await open(PEOPLE)
    const exempt = await makeKey(store, 1)
    const successor = 'https://example.com/next'
    const brownouts = [{ start: NOON, end: NOON + HOUR }]
    const sunsetAt = NOON + 24 * HOUR
    await using announced = serveAt(store, { successor, sunsetAt })
    await using switchedOff = serveAt(store, { brownouts, exempt: [exempt.id] })
    await using removed = serveAt(store, { successor, sunsetAt: NOON })
    for (const path of V2) {
      const { headers } = await announced.get(path)
      expect(headers.get('Deprecation')).toBe('@1743379200')
      expect(headers.get('Sunset')).toBe('Sat, 03 Jan 2026 12:00:00 GMT')
      expect(headers.get('Link')).toContain('<https://example.com/next>; rel="successor-version"')
      const brownout = await switchedOff.get(path, GOLDEN)
      expect([brownout.status, brownout.headers.get('Retry-After')]).toEqual([410, '3600'])
      expectGolden('v2-error-410-brownout', brownout.text)
      expect((await switchedOff.get(path, exempt.init)).status).toBe(200)
      expectGolden('v2-error-410-removed', (await removed.get(path, GOLDEN)).text)
    }
    expect((await removed.get('/api/v2/nothing')).status).toBe(410)
    expect((await removed.get('/api/v2/passports', { method: 'OPTIONS' })).status).toBe(204)
  })

  test('needs a key if one is required, and shares its rate limit with V1', async () => {
    await using store = await open(PEOPLE)
    const key = await makeKey(store, 1)
    const limiter = createLimiter({
      tiers: DEFAULT_TIERS.map((tier) => ({ ...tier, requests: 2 })),
      counter: createFixedWindow(() => NOON),
      now: () => NOON,
      isQuotaUsed: () => false,
    })
    await using server = serveTest(store, { requireKey: true, limiter })
    for (const path of V2) expect((await server.get(path)).status).toBe(401)
    const statuses = []
    for (const path of ['/api/v1/passports', ...V2]) statuses.push((await server.get(path, key.init)).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  test('has endpoint names of its own in usage and metrics', async () => {
    await using store = await open(PEOPLE)
    const key = await makeKey(store, 1)
    const usage = createUsageCounter(() => NOON)
    const metrics = createMetrics()
    await using server = serveTest(store, { usage, metrics })
    for (const path of [...V2, '/api/v2/nothing', '/api/v2', '/api/v1/passports'])
      await server.get(path, key.init)
    const { counts } = usage.take()
    expect(counts.map(({ endpoint, status, count }) => [endpoint, status, count])).toEqual([
      ['v2_list', 200, 1],
      ['v2_passport', 200, 1],
      ['v2_credentials', 200, 1],
      ['v2_other', 404, 2],
      ['list', 200, 1],
    ])
    await store.usage.add(counts, new Map())
    const stored = await store.usage.list({ since: '2026-01-01', until: '2026-01-03' })
    expect(stored.map(({ endpoint }) => endpoint)).toContain('v2_credentials')
    const { value } = parseExposition(presentFamilies(metrics.read()))
    expect(value('passportd_request_seconds_count{route="v2_other"}')).toBe(2)
    expect(value('passportd_request_seconds_count{route="list"}')).toBe(1)
  })

  test('responds 404 like any unknown path if it is turned off, and is not counted', async () => {
    await using store = await open(PEOPLE)
    const usage = createUsageCounter(() => NOON)
    await using server = serveTest(store, { compatV2: false, usage })
    const ask = async (path: string, method = 'GET') => {
      const init = { method, headers: { 'X-Request-Id': 'same' } }
      const response = await fetch(server.url.origin + path, init)
      return [response.status, await response.text(), response.headers.get('Deprecation')]
    }
    const unknown = await ask('/api/v9/passports')
    expect(unknown[0]).toBe(404)
    for (const path of [...V2, '/api/v2', '//api/v2/passports']) expect(await ask(path)).toEqual(unknown)
    expect((await ask('/api/v2/passports', 'OPTIONS'))[0]).toBe(204)
    expect(usage.take().counts).toEqual([])
    expect((await ask('/api/v1/passports'))[0]).toBe(200)
  })
})

test('COMPAT_V2=false reaches the service and its OpenAPI document', async () => {
  await using service = await startTestService({ env: { COMPAT_V2: 'false' } })
  const statusOf = async (path: string) => (await service.get(path)).status
  expect(await statusOf('/api/v1/passports')).toBe(200)
  expect(await statusOf('/api/v2/passports')).toBe(404)
  expect(await statusOf('/reference/v2')).toBe(404)
  const document = await (await service.get('/openapi.json')).text()
  expect(document).not.toContain('/api/v2/passports/{id}')
})

test('every V2 operation is marked deprecated, and no schema refers to a missing one', () => {
  for (const compatV2 of [true, false]) {
    const { paths, components } = createReference('0', { compatV2 }).documentOf('3.2')
    const text = JSON.stringify({ paths, components })
    const names = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map((match) => match[1] as string)
    expect(names.filter((name) => !(name in components.schemas))).toEqual([])
    expect(Object.keys(components.schemas).some((name) => name.endsWith('V2'))).toBe(compatV2)
    const operations = Object.entries(paths).filter(([path]) => path.startsWith('/api/v2/'))
    expect(operations).toHaveLength(compatV2 ? 3 : 0)
    for (const [, item] of operations) expect(item).toMatchObject({ get: { deprecated: true, tags: ['V2'] } })
  }
})
