import { formatDuration } from '../../../domain/text/duration.ts'
import type { Query } from '../../sql/connection.ts'
import type { ReplicaStatus } from '../../store.ts'
import { isLost, isUnavailable } from './errors.ts'
import type { Health, Pool } from './health-checked-pool.ts'

type ReplicaOptions = {
  /** Milliseconds behind the primary above which a replica is not read. */
  maxLag: number
  onNotice?: ((sentence: string) => void) | undefined
}

type Replica = {
  pool: Pool
  /** A standby among the hosts of DATABASE_URL is read only without the primary. */
  isListed: boolean
  noticed: ReplicaStatus['state']
  health?: Health
  /** All changes of the primary before this time are replayed; by `performance.now()`. */
  caughtUpTo?: number
  /** A position of the primary that the replica has not reached, and when the primary was there. */
  target?: Position | undefined
}

type Position = { lsn: number; at: number }

type ReplicaSet = ReplicaOptions & {
  primary: Pool
  /** The server process that was the primary at its last health check. */
  primaryServer: string
  replicas: readonly Replica[]
  openedAt: number
  /** The last known position of the primary. */
  latest?: Position
  /** Index of the replica that is read. */
  chosen: number
}

/**
 * Chooses the server of each read: a replica that is up to date, otherwise the primary, and without the primary any other
 * server. The lag is measured by positions in the WAL, which health checks read from both servers: neither clocks nor an idle
 * primary matter.
 */
export function createReplicas(
  primary: Pool,
  pools: { listed: readonly Pool[]; standbys: readonly Pool[] },
  options: ReplicaOptions,
) {
  const toReplica = (pool: Pool, isListed: boolean): Replica => ({ pool, isListed, noticed: 'ok' })
  const listed = pools.listed.map((pool) => toReplica(pool, true))
  const replicas = [...listed, ...pools.standbys.map((pool) => toReplica(pool, false))]
  const set: ReplicaSet = {
    ...options,
    primary,
    primaryServer: '',
    replicas,
    openedAt: performance.now(),
    // All threads of a process begin with the same replica; other processes may begin with another.
    chosen: process.pid % Math.max(1, listed.length),
  }

  return {
    /** To be called with each health check of the primary. */
    onPrimary({ lsn, sentAt, server }: Health): void {
      set.latest = { lsn, at: sentAt }
      set.primaryServer = server
    },
    /** To be called with each health check of a listed replica or a standby. */
    onReplica(pool: Pool, health: Health): void {
      for (const replica of replicas.filter((each) => each.pool === pool)) {
        update(replica, health, set.latest)
        if (replica.isListed) notice(set, replica)
      }
    },
    /** Reads go to a server with another history. */
    isDiverged: () => !primary.isUp() && replicas.some((replica) => stateOf(set, replica) === 'promoted'),
    list: (): ReplicaStatus[] =>
      listed.map((replica) => ({
        name: replica.pool.name,
        state: stateOf(set, replica),
        lag: lagOf(set, replica),
      })),
    /** Reads from the first server, and from the second one if the first is unavailable. */
    read(queryOf: (pool: Pool) => Query): Query {
      if (replicas.length === 0) return queryOf(primary)
      return async <Row>(text: string, values?: readonly unknown[]) => {
        const [first, second] = candidates(set)
        try {
          return await queryOf(first)<Row>(text, values)
        } catch (error) {
          // The second server may be outdated, unless it is the primary.
          const isCurrent = second === primary && primary.isUp()
          const mayRepeat = isCurrent ? isUnavailable(error) : isGone(primary, error)
          if (first === second || !mayRepeat) throw error
          return queryOf(second)<Row>(text, values)
        }
      }
    },
  }
}

/** Reads the current state from the primary, and from another server only if the primary is unavailable. */
export const preferPrimary =
  (primary: Pick<Pool, 'query' | 'isUp'>, read: Query): Query =>
  async <Row>(text: string, values?: readonly unknown[]) => {
    try {
      return await primary.query<Row>(text, values)
    } catch (error) {
      if (!isGone(primary, error)) throw error
      return read<Row>(text, values)
    }
  }

/** Whether a read failed because there is no primary. A slow primary is not gone. */
export const isGone = (primary: Pick<Pool, 'isUp'>, error: unknown): boolean =>
  isLost(error) || (isUnavailable(error) && !primary.isUp())

function update(replica: Replica, health: Health, latest: Position | undefined): void {
  const { target } = replica
  const isReached = target !== undefined && health.lsn >= target.lsn
  replica.health = health
  if (latest && health.lsn >= latest.lsn) replica.caughtUpTo = latest.at
  else if (isReached) replica.caughtUpTo = target.at
  if (!target || isReached) replica.target = latest
}

/** The list of replicas may contain all servers of a cluster, and so the primary. */
const isPrimary = ({ primary, primaryServer }: ReplicaSet, { health }: Replica) =>
  primary.isUp() && health?.server === primaryServer

function lagOf(set: ReplicaSet, replica: Replica): number {
  const { latest, openedAt } = set
  const { health, caughtUpTo } = replica
  if (isPrimary(set, replica)) return 0
  if (health && latest && health.lsn >= latest.lsn) return 0
  return performance.now() - (caughtUpTo ?? openedAt)
}

function stateOf(set: ReplicaSet, replica: Replica): ReplicaStatus['state'] {
  if (!replica.pool.isUp()) return 'unavailable'
  if (isPrimary(set, replica)) return 'ok'
  if (replica.health?.isReplica === false) return 'promoted'
  // Without the primary there is nothing to compare with, and no other server to read.
  if (!set.primary.isUp()) return 'ok'
  return replica.caughtUpTo !== undefined && lagOf(set, replica) <= set.maxLag ? 'ok' : 'lagging'
}

/** Stays with a replica while it is up to date, so that successive reads do not go back in time. */
function choose(set: ReplicaSet): Replica | undefined {
  const { primary, replicas, chosen } = set
  const inOrder = [...replicas.slice(chosen), ...replicas.slice(0, chosen)]
  const available = inOrder.filter(
    (replica) => (replica.isListed || !primary.isUp()) && stateOf(set, replica) === 'ok',
  )
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
  const other = replicas.find(
    (replica) => replica.pool !== first && replica.pool.isUp() && !isPrimary(set, replica),
  )?.pool
  if (first) return [first, primary.isUp() ? primary : (other ?? primary)]
  return primary.isUp() || !other ? [primary, other ?? primary] : [other, primary]
}

function notice(set: ReplicaSet, replica: Replica): void {
  const { noticed, pool } = replica
  const { name } = pool
  const state = stateOf(set, replica)
  const lag = lagOf(set, replica)
  // A new connection needs two health checks to see that a replica is up to date.
  if (state === noticed || (state === 'lagging' && lag <= set.maxLag)) return
  // The primary may be this server after a failover.
  if (state === 'promoted' && !set.primary.isUp()) return
  replica.noticed = state
  if (state === 'ok') set.onNotice?.(`${name} is up to date again: it is used for reads.`)
  else if (state === 'promoted')
    set.onNotice?.(`${name} is no longer a replica: other servers are used for reads.`)
  else if (state === 'lagging')
    set.onNotice?.(`${name} is ${formatDuration(lag)} behind its primary: other servers are used for reads.`)
}
