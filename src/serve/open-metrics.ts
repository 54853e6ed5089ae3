import type { Config } from '../config.ts'
import type { Store } from '../store/store.ts'
import { VERSION } from '../version.ts'
import { createCrewMetrics } from './crew-metrics.ts'
import { createMeter } from './meter.ts'
import { serveMetrics } from './metrics-server.ts'
import { gauge } from './process-metrics.ts'
import { createStoreMetrics } from './store-metrics.ts'

/** Serves what this process and its workers count, where that is wanted. */
export function openMetrics(config: Config, store: Store, now: () => number) {
  if (!config.metrics) return undefined
  const { database } = config
  const meter = createMeter()
  const crew = createCrewMetrics()
  const readStore = createStoreMetrics(store, {
    now,
    replica: database.engine === 'postgres' && database.readUrl !== undefined,
  })
  const server = serveMetrics(config.metrics, async () => [
    gauge('passportd_info', 'The version that runs.', 1, { version: VERSION }),
    ...crew.addUp(meter.read()),
    gauge('process_start_time_seconds', 'When it was started.', performance.timeOrigin / 1000),
    ...(await readStore()),
  ])
  return {
    metrics: meter.metrics,
    crew,
    url: `${server.url.origin}/metrics`,
    async stop() {
      meter.stop()
      await server.stop(true)
    },
  }
}
