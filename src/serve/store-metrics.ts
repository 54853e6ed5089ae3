import type { Family } from '../api/prometheus.ts'
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
    const up: Family = {
      name: 'passportd_store_up',
      help: 'Whether reads, writes and the replica work, and no damage was found: 1 or 0.',
      type: 'gauge',
      samples: Object.entries(parts).map(([part, works]) => ({ labels: { part }, value: Number(works) })),
    }
    const stale = await attempt(() => store.scoring.countStale())
    const log = await attempt(() => store.events.log())
    return [
      up,
      ...presentLags(health?.replicas),
      ...(stale === undefined
        ? []
        : [gauge('passportd_stale_passports', 'Passports whose score is to be recalculated.', stale)]),
      ...(log ? presentLog(log) : []),
    ]
  }
}

function presentLog({ first, last }: EventLog): Family[] {
  return [
    gauge('passportd_events_last', 'Number of the last event.', last),
    gauge('passportd_events_first', 'Number of the oldest event that is not pruned.', first),
    {
      name: 'passportd_events_pruned_total',
      help: 'Events that were pruned.',
      type: 'counter',
      samples: [{ labels: {}, value: first - 1 }],
    },
  ]
}

function presentLags(replicas: readonly ReplicaStatus[] = []): Family[] {
  const known = replicas.filter(({ state }) => state === 'ok' || state === 'lagging')
  if (known.length === 0) return []
  return [
    {
      name: 'passportd_replica_lag_seconds',
      help: 'Time that a replica is behind its primary.',
      type: 'gauge',
      samples: known.map(({ name, lag }) => ({ labels: { replica: name }, value: lag / 1000 })),
    },
  ]
}

export const gauge = (
  name: string,
  help: string,
  value: number,
  labels: Readonly<Record<string, string>> = {},
): Family => ({ name, help, type: 'gauge', samples: [{ labels, value }] })
