import { openPort } from '../api/open-port.ts'
import { type Family, PROMETHEUS_TYPE, presentFamilies } from '../api/prometheus.ts'
import type { Config } from '../config/config.ts'
import { describeError } from '../domain/errors.ts'
import { createErrorLog, type Log } from '../log.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'
import type { Damage } from './damage.ts'
import { counter, createStoreMetrics, gauge } from './store-metrics.ts'

type Options = { store: Store; damage: Damage; log: Log; readThreads: () => Family[] }

/** Serves `GET /metrics` on its own port, if METRICS_PORT is set. */
export async function startMetrics(
  { metrics, database }: Config,
  { store, damage, log, readThreads }: Options,
) {
  if (!metrics) return undefined
  const { host, port } = metrics
  const replica = database.engine === 'postgres' && database.readUrls !== undefined
  const errors = createErrorLog(log)
  const onError = (error: unknown) => errors.error(`Metrics cannot be read: ${describeError(error)}`)
  const readStore = createStoreMetrics(store, {
    replica,
    onError,
    ...(database.engine === 'sqlite' && { damage }),
  })
  const collect = async () => [
    gauge('passportd_info', 'The running version.', 1, { version: VERSION }),
    ...readThreads(),
    ...readProcess(),
    ...(await readStore()),
  ]
  const server = await openPort({ host, port, names: { host: 'METRICS_HOST', port: 'METRICS_PORT' } }, () =>
    Bun.serve({
      hostname: host,
      port,
      // A new release starts before the old one stops.
      reusePort: process.platform === 'linux',
      development: false,
      routes: {
        '/metrics': {
          GET: async () =>
            new Response(presentFamilies(await collect()), {
              headers: { 'Content-Type': PROMETHEUS_TYPE, 'Cache-Control': 'no-store' },
            }),
        },
      },
      fetch: () => new Response('Not found. Use GET /metrics.\n', { status: 404 }),
      error(error) {
        onError(error)
        return new Response('Something went wrong on our side.\n', { status: 500 })
      },
    }),
  )
  return { url: `${server.url.origin}/metrics`, stop: () => server.stop(true) }
}

function readProcess(): Family[] {
  const { user, system } = process.cpuUsage()
  return [
    gauge('process_resident_memory_bytes', 'Resident memory of the process.', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'Start time of the process.', performance.timeOrigin / 1000),
    counter('process_cpu_seconds_total', 'CPU time of the process.', (user + system) / 1_000_000),
  ]
}
