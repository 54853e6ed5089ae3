import { attempt, describeError } from '../core/basics/errors.ts'
import { createErrorLog, type Log } from '../core/basics/log.ts'
import { VERSION } from '../core/basics/version.ts'
import type { Config } from '../core/config/config.ts'
import type { EventLog } from '../core/history/event.ts'
import { openPort } from '../core/http/open-port.ts'
import {
  counter,
  type Family,
  gauge,
  PROMETHEUS_TYPE,
  presentFamilies,
  type Sample,
} from '../core/http/prometheus-text.ts'
import { type Damage, isDamaged } from '../core/store/damage.ts'
import type { Store } from '../core/store/store.ts'
import { FEATURES } from '../features.ts'

type Options = { store: Store; damage: Damage; log: Log; readThreads: () => Family[] }

/** Serves `GET /metrics` on its own port, if METRICS_PORT is set. */
export async function startMetrics(
  { metrics, database }: Config,
  { store, damage, log, readThreads }: Options,
) {
  if (!metrics) return undefined
  const { host, port } = metrics
  const errors = createErrorLog(log)
  const onError = (error: unknown) => errors.error(`Metrics cannot be read: ${describeError(error)}`)
  const collect = async () => [
    gauge('passportd_info', 'The running version.', [{ labels: { version: VERSION }, value: 1 }]),
    ...readThreads(),
    ...readProcess(),
    ...(await readStore(store, { database, damage, onError })),
  ]
  const server = await openPort({ host, port, names: { host: 'METRICS_HOST', port: 'METRICS_PORT' } }, () =>
    Bun.serve({
      hostname: host,
      port,
      // Lets a new release start before the old one stops.
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

/** `onError` is called with unexpected errors. */
type StoreOptions = Pick<Config, 'database'> & { damage: Damage; onError: (error: unknown) => void }

/** Metrics of the store. If it is unavailable, only `passportd_store_up` is reported. */
export async function readStore(
  store: Store,
  { database, damage, onError }: StoreOptions,
): Promise<Family[]> {
  // An unavailable store is not logged here, because other threads log it.
  const health = await attempt(() => store.database.ping(), onError)
  const parts = {
    reads: health !== undefined,
    writes: health?.writes === true,
    ...(database.engine === 'sqlite' && { integrity: !isDamaged(damage) }),
  }
  const up = Object.entries(parts).map(([part, works]) => ({ labels: { part }, value: Number(works) }))
  const stale = await attempt(() => store.scoring.countStale(), onError)
  const log = await attempt(() => store.events.log(), onError)
  const families = log && (await attempt(() => readFeatures(store, log), onError))
  return [
    gauge('passportd_store_up', 'Whether reads and writes work, and no damage was found: 1 or 0.', up),
    ...(stale === undefined
      ? []
      : [gauge('passportd_stale_passports', 'Passports whose score is to be recalculated.', stale)]),
    ...(log ? presentLog(log) : []),
    ...(families ?? []),
  ]
}

async function readFeatures(store: Store, log: EventLog): Promise<Family[]> {
  const readers = FEATURES.map(async ({ metrics }) => (await metrics?.())?.(store, log) ?? [])
  return (await Promise.all(readers)).flat()
}

const presentLog = ({ first, last }: EventLog): Family[] => [
  gauge('passportd_events_last', 'Number of the last event.', last),
  gauge('passportd_events_first', 'Number of the oldest event that is not pruned.', first),
  counter('passportd_events_pruned_total', 'Events that were pruned.', first - 1),
]

/** Adds up the metrics of all threads. Counters of ended threads are kept, so that none decreases; gauges are not. */
export function createMetricSums() {
  const running = new Map<unknown, readonly Family[]>()
  let ended: Family[] = []
  const add = (families: readonly Family[]) => mergeBy(families, ({ name }) => name, addFamily)
  return {
    set: (thread: unknown, families: readonly Family[]) => void running.set(thread, families),
    end(thread: unknown): void {
      const last = running.get(thread) ?? []
      ended = add([...ended, ...last.filter(({ type }) => type !== 'gauge')])
      running.delete(thread)
    },
    read: (): Family[] => add([...ended, ...[...running.values()].flat()]),
  }
}

/** Merges the items that have the same key. */
const mergeBy = <T>(items: readonly T[], keyOf: (item: T) => string, merge: (one: T, other: T) => T): T[] =>
  [...Map.groupBy(items, keyOf).values()].map((same) => same.reduce((one, other) => merge(one, other)))

/** Both families have the same type. */
function addFamily(one: Family, other: Family): Family {
  const keyOf = ({ labels }: Sample) => JSON.stringify(labels)
  return { ...one, samples: mergeBy([...one.samples, ...other.samples], keyOf, addSample) }
}

function addSample(one: Sample, other: Sample): Sample {
  if ('value' in one && 'value' in other) return { ...one, value: one.value + other.value }
  if ('value' in one || 'value' in other) return one
  const counts = one.counts.map((count, at) => count + (other.counts[at] ?? 0))
  return { ...one, counts, sum: one.sum + other.sum }
}
