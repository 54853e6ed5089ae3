import { openPort } from '../api/open-port.ts'
import { EXPOSITION_TYPE, type Family, presentFamilies } from '../api/prometheus.ts'

export type MetricsAddress = { host: string; port: number }

/** Where the request has a bad `Host`, its address cannot be parsed, or is the path alone. */
const METRICS = /^(?:\w+:\/\/[^/]*)?\/metrics(?:[?#]|$)/

/** Answers `GET /metrics`, and nothing else. A port that cannot be had is a `CommandError`. */
export function serveMetrics({ host, port }: MetricsAddress, collect: () => Promise<Family[]>) {
  return openPort({ host, port, names: { host: 'METRICS_HOST', port: 'METRICS_PORT' } }, () =>
    Bun.serve({
      hostname: host,
      port,
      development: false,
      reusePort: false,
      async fetch(request) {
        if (request.method !== 'GET' || !METRICS.test(request.url)) {
          return new Response('Only GET /metrics is here.\n', { status: 404 })
        }
        return new Response(presentFamilies(await collect()), {
          headers: { 'Content-Type': EXPOSITION_TYPE, 'Cache-Control': 'no-store' },
        })
      },
      error: () => new Response('Something went wrong on our side.\n', { status: 500 }),
    }),
  )
}
