import { ENDPOINTS, type Endpoint } from '../domain/usage.ts'
import type { Family } from './prometheus.ts'

export const ROUTES = [...ENDPOINTS, 'health', 'ready', 'page', 'explorer', 'not_found'] as const
/** The route of a request, for metrics and logs: its path may hold anything. */
export type RouteName = Endpoint | 'health' | 'ready' | 'page' | 'explorer' | 'not_found'

/** Seconds. */
const BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts in memory what becomes of requests. Every label has few values, whatever callers send. */
export function createMetrics() {
  /** By route, tier and status: three lookups cost less than making one name of them. */
  const requests = new Map(ROUTES.map((route) => [route, new Map<string, Map<number, number>>()]))
  const routes = new Map(ROUTES.map((route) => [route, createHistogram(BOUNDS)]))

  /** A copy of everything counted so far. */
  function read(): Family[] {
    return [
      {
        name: 'passportd_requests_total',
        help: 'Answers, by what was asked for, status and tier of the caller.',
        type: 'counter',
        samples: [...requests].flatMap(([route, byTier]) =>
          [...byTier].flatMap(([tier, byStatus]) =>
            [...byStatus].map(([status, value]) => ({
              labels: { route, status: String(status), tier },
              value,
            })),
          ),
        ),
      },
      {
        name: 'passportd_request_seconds',
        help: 'Time from request to answer.',
        type: 'histogram',
        samples: [...routes].map(([route, { read }]) => ({ labels: { route }, ...read() })),
      },
    ]
  }

  return {
    countRequest(route: RouteName, status: number, tier: string, seconds: number): void {
      const byTier = requests.get(route) as Map<string, Map<number, number>>
      let byStatus = byTier.get(tier)
      if (!byStatus) {
        byStatus = new Map()
        byTier.set(tier, byStatus)
      }
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1)
      routes.get(route)?.observe(seconds)
    },
    read,
  }
}

export type Metrics = ReturnType<typeof createMetrics>

export function createHistogram(bounds: readonly number[]) {
  // The last one is for what is above all bounds.
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    observe(value: number): void {
      let at = 0
      while (at < bounds.length && value > (bounds[at] as number)) at++
      ;(counts[at] as number)++
      sum += value
    },
    read: () => ({ bounds, counts: [...counts], sum }),
  }
}
