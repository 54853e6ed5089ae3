import type { Family, Labels } from '../api/prometheus.ts'
import { isExpected } from '../domain/errors.ts'
import type { EventLog } from '../domain/history/event.ts'
import type { ReplicaStatus, Store } from '../store/store.ts'
import { type Damage, isDamaged } from './damage.ts'

type Options = {
  replica: boolean
  /** With SQLite. */
  damage?: Damage
  /** Called with unexpected errors. */
  onError: (error: unknown) => void
}

/** Metrics of the store. If it is unavailable, only `passportd_store_up` is reported. */
export function createStoreMetrics(store: Store, { replica, damage, onError }: Options) {
  /** An unavailable store is `undefined`: other threads log that. */
  const attempt = <T>(work: () => T | Promise<T>): Promise<T | undefined> =>
    Promise.try(work).catch((error) => {
      if (!isExpected(error)) onError(error)
      return undefined
    })

  return async (): Promise<Family[]> => {
    const health = await attempt(() => store.ping())
    const parts = {
      reads: health !== undefined,
      writes: health?.writes === true,
      ...(damage && { integrity: !isDamaged(damage) }),
      ...(replica && { replica: health?.replicas?.every(({ state }) => state === 'ok') === true }),
    }
    const up = Object.entries(parts).map(([part, works]) => ({ labels: { part }, value: Number(works) }))
    const stale = await attempt(() => store.scoring.countStale())
    const log = await attempt(() => store.events.log())
    return [
      family(
        'gauge',
        'passportd_store_up',
        'Whether reads, writes and the replica work, and no damage was found: 1 or 0.',
        up,
      ),
      ...presentLags(health?.replicas),
      ...(stale === undefined
        ? []
        : [gauge('passportd_stale_passports', 'Passports whose score is to be recalculated.', stale)]),
      ...(log ? presentLog(log) : []),
    ]
  }
}

const presentLog = ({ first, last }: EventLog): Family[] => [
  gauge('passportd_events_last', 'Number of the last event.', last),
  gauge('passportd_events_first', 'Number of the oldest event that is not pruned.', first),
  counter('passportd_events_pruned_total', 'Events that were pruned.', first - 1),
]

function presentLags(replicas: readonly ReplicaStatus[] = []): Family[] {
  const lags = replicas
    .filter(({ state }) => state === 'ok' || state === 'lagging')
    .map(({ name, lag }) => ({ labels: { replica: name }, value: lag / 1000 }))
  if (lags.length === 0) return []
  return [
    family('gauge', 'passportd_replica_lag_seconds', 'Time that a replica is behind its primary.', lags),
  ]
}

const family = (type: Family['type'], name: string, help: string, samples: Family['samples']): Family => ({
  name,
  help,
  type,
  samples,
})

export const gauge = (name: string, help: string, value: number, labels: Labels = {}): Family =>
  family('gauge', name, help, [{ labels, value }])

export const counter = (name: string, help: string, value: number): Family =>
  family('counter', name, help, [{ labels: {}, value }])
