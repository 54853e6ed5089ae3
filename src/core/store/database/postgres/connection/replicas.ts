import { formatDuration } from '../../../../basics/text/duration.ts'
import type { Query } from '../../../sql/connection.ts'
import type { ReplicaStatus } from '../../../store.ts'
import { isLost, isUnavailable } from './errors.ts'
import type { Health, Pool } from './health-checked-pool.ts'

type ReplicaOptions = {
  /** A replica that lags behind the primary by more milliseconds than this is not read. */
  maxLag: number
  onNotice?: ((sentence: string) => void) | undefined
}

type Replica = {
  pool: Pool
  /** True for replicas of DATABASE_READ_URL. False for standbys, which are used only while the primary is down. */
  isListed: boolean
  noticed: ReplicaStatus['state']
  health?: Health
  /** The replica has all changes that the primary had at this time, by `performance.now()`. */
  caughtUpTo?: number
  /** A WAL position that the replica has not reached yet, and when the primary was there. */
  target?: Position | undefined
}

type Position = { lsn: number; at: number }

type ReplicaSet = ReplicaOptions & {
  primary: Pool
  /** The server process that was the primary at its last health check. */
  primaryServer: string
  replicas: readonly Replica[]
  openedAt: number
  /** The last known WAL position of the primary. */
  latest?: Position
  /** Index of the replica that is read. */
  chosen: number
}

/**
 * Chooses the server for each read: a replica that is up to date, otherwise the primary, or any other server if the
 * primary is down. The lag is measured by the WAL positions in health checks, so that it does not depend on
 * clocks, and an idle primary causes no lag.
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
    /** Call it with each health check of the primary. */
    onPrimary({ lsn, sentAt, server }: Health): void {
      set.latest = { lsn, at: sentAt }
      set.primaryServer = server
    },
    /** Call it with each health check of a replica or a standby. */
    onReplica(pool: Pool, health: Health): void {
      for (const replica of replicas.filter((each) => each.pool === pool)) {
        update(replica, health, set.latest)
        if (replica.isListed) notice(set, replica)
      }
    },
    /** Whether the primary is down and a former replica accepts writes, so that their data differ. */
    isDiverged: () => !primary.isUp() && replicas.some((replica) => stateOf(set, replica) === 'promoted'),
    list: (): ReplicaStatus[] =>
      listed.map((replica) => ({
        name: replica.pool.name,
        state: stateOf(set, replica),
        lag: lagOf(set, replica),
      })),
    /** Reads from the best server, and from the second best if the first is unavailable. */
    read(queryOf: (pool: Pool) => Query): Query {
      if (replicas.length === 0) return queryOf(primary)
      return async <Row>(text: string, values?: readonly unknown[]) => {
        const [first, second] = candidates(set)
        try {
          return await queryOf(first)<Row>(text, values)
        } catch (error) {
          // Unless the second server is the primary, its data may be outdated.
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

/** Whether a read failed because the primary is down. A slow primary is not down. */
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

/** DATABASE_READ_URL may name all servers of a cluster, including the primary. */
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
  // Without the primary the lag is unknown, and a lagging replica is better than none.
  if (!set.primary.isUp()) return 'ok'
  return replica.caughtUpTo !== undefined && lagOf(set, replica) <= set.maxLag ? 'ok' : 'lagging'
}

/** Keeps the chosen replica while it is up to date, so that a later read does not return older data. */
function choose(set: ReplicaSet): Replica | undefined {
  const { primary, replicas, chosen } = set
  const inOrder = [...replicas.slice(chosen), ...replicas.slice(0, chosen)]
  const available = inOrder.filter(
    (replica) => (replica.isListed || !primary.isUp()) && stateOf(set, replica) === 'ok',
  )
  // Without the primary, the replica with the latest changes is read.
  if (!primary.isUp()) available.sort((one, other) => positionOf(other) - positionOf(one))
  const [first] = available
  if (first) set.chosen = replicas.indexOf(first)
  return first
}

const positionOf = ({ health }: Replica) => health?.lsn ?? 0

/** The servers to try. A third attempt would exceed the time limit of a request. */
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
  // A replica counts as lagging until two health checks show that it is up to date. This is not reported.
  if (state === noticed || (state === 'lagging' && lag <= set.maxLag)) return
  // During a failover, this server can be the new primary.
  if (state === 'promoted' && !set.primary.isUp()) return
  replica.noticed = state
  if (state === 'ok') set.onNotice?.(`${name} is up to date again: it is used for reads.`)
  else if (state === 'promoted')
    set.onNotice?.(`${name} is no longer a replica: other servers are used for reads.`)
  else if (state === 'lagging')
    set.onNotice?.(`${name} is ${formatDuration(lag)} behind its primary: other servers are used for reads.`)
}
