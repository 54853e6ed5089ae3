import type { Family, Labels } from './prometheus-text.ts'

/** Bucket bounds in seconds. */
const BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts responses in memory. Labels have the names of routes, never paths, which are untrusted input. */
export function createMetrics(names: readonly string[]) {
  const requests = new Map<string, { labels: Labels; value: number }>()
  const routes = new Map(
    [...names, 'page', 'explorer', 'not_found'].map((route) => [route, createHistogram(BOUNDS)]),
  )

  return {
    countRequest(route: string, status: number, tier: string, seconds: number): void {
      const key = `${route} ${status} ${tier}`
      const counted = requests.get(key)
      if (counted) counted.value++
      else requests.set(key, { labels: { route, status: String(status), tier }, value: 1 })
      routes.get(route)?.observe(seconds)
    },
    read: (): Family[] => [
      {
        name: 'passportd_requests_total',
        help: 'Responses by route, status and tier of the client.',
        type: 'counter',
        samples: [...requests.values()].map((sample) => ({ ...sample })),
      },
      {
        name: 'passportd_request_seconds',
        help: 'Time from request to response.',
        type: 'histogram',
        samples: [...routes].map(([route, { read }]) => ({ labels: { route }, ...read() })),
      },
    ],
  }
}

export type Metrics = ReturnType<typeof createMetrics>

export function createHistogram(bounds: readonly number[]) {
  // The last bucket counts values above all bounds.
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
