import { formatDuration } from '../../../domain/text/duration.ts'
import type { ReplicaStatus } from '../../store.ts'
import type { Health, Pool } from './health-checked-pool.ts'
import type { Query } from './query.ts'

export type ReplicaOptions = {
  /** Milliseconds behind the primary above which a replica is not read. */
  maxLag: number
  onNotice?: ((sentence: string) => void) | undefined
}

type Replica = {
  pool: Pool
  name: string
  health: Health | undefined
  /** All changes of the primary before this time are replayed; by `performance.now()`. */
  caughtUpTo: number | undefined
  /** A position of the primary that the replica has not reached, and when the primary was there. */
  target: Position | undefined
  noticed: ReplicaStatus['state']
}

type Position = { lsn: number; at: number }

type ReplicaSet = ReplicaOptions & {
  primary: Pool
  replicas: readonly Replica[]
  openedAt: number
  /** The last known position of the primary. */
  latest: Position | undefined
  /** Index of the replica that is read. */
  chosen: number
}

/**
 * Chooses the server of each read: a replica that is up to date, otherwise the primary, and without the primary any replica.
 * The lag is measured by positions in the WAL, which health checks read from both servers: neither clocks nor an idle primary
 * matter.
 */
export function createReplicas(
  primary: Pool,
  pools: readonly { pool: Pool; name: string }[],
  options: ReplicaOptions,
) {
  const unknown = { health: undefined, caughtUpTo: undefined, target: undefined, noticed: 'ok' } as const
  const replicas: Replica[] = pools.map((each) => ({ ...each, ...unknown }))
  // All threads of a process begin with the same replica; other processes may begin with another.
  const chosen = process.pid % Math.max(1, replicas.length)
  const set: ReplicaSet = {
    ...options,
    primary,
    replicas,
    openedAt: performance.now(),
    latest: undefined,
    chosen,
  }

  return {
    /** To be called with each health check of the primary. */
    onPrimary({ lsn, sentAt }: Health): void {
      set.latest = { lsn, at: sentAt }
    },
    /** To be called with each health check of a replica. */
    onReplica(index: number, health: Health): void {
      const replica = replicas[index] as Replica
      update(replica, health, set.latest)
      notice(set, replica)
    },
    /** Reads go to a server with another history. */
    isDiverged: () => !primary.isUp() && replicas.some((replica) => stateOf(set, replica) === 'promoted'),
    list: (): ReplicaStatus[] =>
      replicas.map((replica) => ({
        name: replica.name,
        state: stateOf(set, replica),
        lag: lagOf(set, replica),
      })),
    /** Reads from the first server, and after any error from the second. */
    read(queryOf: (pool: Pool) => Query): Query {
      if (replicas.length === 0) return queryOf(primary)
      return async <Row>(text: string, values?: readonly unknown[]) => {
        const [first, second] = candidates(set)
        try {
          return await queryOf(first)<Row>(text, values)
        } catch (error) {
          // The first pool reports its own errors.
          if (first === second) throw error
          return queryOf(second)<Row>(text, values)
        }
      }
    },
  }
}

function update(replica: Replica, health: Health, latest: Position | undefined): void {
  const { target } = replica
  const isReached = target !== undefined && health.lsn >= target.lsn
  replica.health = health
  if (latest && health.lsn >= latest.lsn) replica.caughtUpTo = latest.at
  else if (isReached) replica.caughtUpTo = target.at
  if (!target || isReached) replica.target = latest
}

function lagOf({ latest, openedAt }: ReplicaSet, { health, caughtUpTo }: Replica): number {
  if (health && latest && health.lsn >= latest.lsn) return 0
  return performance.now() - (caughtUpTo ?? openedAt)
}

function stateOf(set: ReplicaSet, replica: Replica): ReplicaStatus['state'] {
  if (!replica.pool.isUp()) return 'unavailable'
  if (replica.health?.isReplica === false) return 'promoted'
  // Without the primary there is nothing to compare with, and no other server to read.
  if (!set.primary.isUp()) return 'ok'
  return replica.caughtUpTo !== undefined && lagOf(set, replica) <= set.maxLag ? 'ok' : 'lagging'
}

/** Stays with a replica while it is up to date, so that successive reads do not go back in time. */
function choose(set: ReplicaSet): Replica | undefined {
  const { primary, replicas, chosen } = set
  const inOrder = [...replicas.slice(chosen), ...replicas.slice(0, chosen)]
  const available = inOrder.filter((replica) => stateOf(set, replica) === 'ok')
  // Without the primary, the lag is unknown: the replica with the latest changes is read.
  if (!primary.isUp()) available.sort((one, other) => positionOf(other) - positionOf(one))
  const [first] = available
  if (first) set.chosen = replicas.indexOf(first)
  return first
}

const positionOf = ({ health }: Replica) => health?.lsn ?? 0

/** Two: more attempts would exceed the time limit of a request. */
function candidates(set: ReplicaSet): [Pool, Pool] {
  const { primary, replicas } = set
  const first = choose(set)?.pool
  const other = replicas.find(({ pool }) => pool !== first && pool.isUp())?.pool
  if (first) return [first, primary.isUp() ? primary : (other ?? primary)]
  return primary.isUp() || !other ? [primary, other ?? primary] : [other, primary]
}

function notice(set: ReplicaSet, replica: Replica): void {
  const { name, noticed } = replica
  const state = stateOf(set, replica)
  const lag = lagOf(set, replica)
  // A new connection needs two health checks to see that a replica is up to date.
  if (state === noticed || (state === 'lagging' && lag <= set.maxLag)) return
  replica.noticed = state
  if (state === 'ok') set.onNotice?.(`${name} is up to date again: it is used for reads.`)
  else if (state === 'promoted')
    set.onNotice?.(`${name} is no longer a replica: other servers are used for reads.`)
  else if (state === 'lagging')
    set.onNotice?.(`${name} is ${formatDuration(lag)} behind its primary: other servers are used for reads.`)
}
