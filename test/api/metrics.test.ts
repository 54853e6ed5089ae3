import { expect, test } from 'bun:test'
import { createMetrics } from '../../src/api/metrics.ts'
import { presentFamilies } from '../../src/api/prometheus.ts'
import { createFixedWindow, createLimiter } from '../../src/api/rate-limit.ts'
import type { RequestSummary } from '../../src/api/route.ts'
import { DEFAULT_TIERS } from '../../src/domain/tier.ts'
import { parseExposition } from '../support/http/prometheus.ts'
import { serveTest } from '../support/http/server.ts'
import { onEngine } from '../support/store/engines.ts'
import { ada, NOON } from '../support/store/records.ts'

onEngine('sqlite', 'metrics', (open) => {
  test('every response is counted by route, status and tier', async () => {
    await using store = await open([ada])
    const metrics = createMetrics()
    const summaries: RequestSummary[] = []
    await using server = serveTest(store, {
      limiter: createLimiter({
        tiers: [...DEFAULT_TIERS, { name: 'anonymous', requests: 5, window: 10 }],
        counter: createFixedWindow(() => NOON),
        now: () => NOON,
        isQuotaUsed: () => false,
      }),
      metrics,
      onResponse: (summary) => summaries.push(summary),
    })
    await server.get('/api/v1/passports', { method: 'POST' })
    for (const target of [
      '/api/v1/passports',
      '/api/v1/passports/7',
      '/api/v1/passports/8',
      '/api/v1/passport_credentials?passport_id=7',
      '/api/v1/passports/7',
      '/api/v1/nothing/here',
      '/health',
      '/ready',
      '/openapi.json',
      '/metrics',
    ]) {
      await server.get(target)
    }
    await server.get('/api/v1/passports/7', {
      headers: { 'X-API-KEY': `ppd_${'0'.repeat(10)}_${'0'.repeat(64)}` },
    })

    const { families, value } = parseExposition(presentFamilies(metrics.read()))
    const requests = families.get('passportd_requests_total')
    const counted = (series: string) => value(`passportd_requests_total{${series}}`)
    expect(requests?.size).toBe(12)
    expect([...(requests?.values() ?? [])]).toEqual(new Array(12).fill(1))
    for (const series of [
      'route="list",status="200",tier="anonymous"',
      'route="passport",status="200",tier="anonymous"',
      'route="passport",status="404",tier="anonymous"',
      'route="passport",status="429",tier="anonymous"',
      'route="passport",status="401",tier="none"',
      'route="credentials",status="200",tier="anonymous"',
      'route="list",status="405",tier="anonymous"',
      'route="other",status="404",tier="none"',
      'route="health",status="200",tier="none"',
      'route="ready",status="200",tier="none"',
      'route="page",status="200",tier="none"',
      'route="not_found",status="404",tier="none"',
    ]) {
      expect({ series, count: counted(series) }).toEqual({ series, count: 1 })
    }
    expect(value('passportd_request_seconds_count{route="passport"}')).toBe(4)
    for (const { seconds } of summaries) expect(seconds).toBeGreaterThan(0)
  })
})
