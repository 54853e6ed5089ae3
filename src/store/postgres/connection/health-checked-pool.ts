import { splitHosts } from '../../../domain/database-address.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { isServerError, readOnlyError, toServiceError } from './errors.ts'
import type { Query } from './query.ts'
import {
  closeSqlPools,
  createSqlPools,
  type Limits,
  limitsOf,
  type PoolOptions,
  type SqlPools,
} from './sql-pools.ts'

const HEALTH_CHECK_MILLISECONDS = 250

/**
 * Connection pools to one server, with health checks. When the server stops responding, pending calls fail, and later calls
 * fail at once until it responds again. With several hosts, the next one is tried whenever a host does not respond or, like a
 * standby, accepts no writes.
 */
export type Pool = {
  query: Query
  /** For statements that read many rows. */
  longQuery: Query
  /** Row and advisory locks are held until it ends. */
  transaction<T>(work: (query: Query) => Promise<T>, mode?: string): Promise<T>
  /** Throws `unavailable` if the server does not respond. */
  ping(): Promise<{ writes: boolean }>
  isUp(): boolean
  /** Starts the health checks; each success is reported. */
  watch(onHealth: (health: Health) => void): void
  close(): Promise<void>
}

/** The result of a health check. */
export type Health = {
  writes: boolean
  /** The version of the keys. */
  keys: number
  isOtherServer: boolean
  isReplica: boolean
  /** The position in the WAL: flushed on a primary, replayed on a replica. */
  lsn: number
  /** When the check was sent, by `performance.now()`. */
  sentAt: number
}

/** Pools that are replaced together, and the pending calls on them. */
type Session = {
  pools: SqlPools
  waiting: Set<(error: unknown) => void>
  /** Short statements that still run after their timeout: new ones would be queued behind them. */
  overdue: number
}

type State = {
  hosts: readonly string[]
  /** Index of the current host. */
  host: number
  name: string
  options: PoolOptions
  session: Session
  down: ServiceError | undefined
  healthChecks: Timer | undefined
  probing: Promise<Health> | undefined
  /** Identifies the server that responded last. */
  server: string
  onHealth: (health: Health) => void
  isClosed: boolean
}

/** Connects on first use. `name` is the server in messages. */
export function createPool(url: string, name: string, options: PoolOptions, host = 0): Pool {
  const hosts = splitHosts(url)
  const session = openSession(hosts[host] ?? url, name, options)
  const state: State = {
    hosts,
    host,
    name,
    options,
    session,
    down: undefined,
    healthChecks: undefined,
    probing: undefined,
    server: '',
    onHealth: () => undefined,
    isClosed: false,
  }
  const { short, long, transaction } = limitsOf(options)
  return {
    query(text, values = []) {
      if (state.session.overdue > 0) return Promise.reject(unavailable(name, 'is too slow.'))
      return guard(state, short, (pools) => pools.short.unsafe(text, [...values]), true)
    },
    longQuery: (text, values = []) => guard(state, long, (pools) => pools.long.unsafe(text, [...values])),
    transaction: (work, mode = '') =>
      guard(state, transaction, (pools, timer) =>
        pools.long.begin(mode, (connection) =>
          work((text, values = []) => {
            // The timeout applies to each statement and to the commit.
            timer?.refresh()
            return connection.unsafe(text, [...values])
          }),
        ),
      ),
    ping: () => probe(state),
    isUp: () => state.down === undefined,
    watch(onHealth) {
      state.onHealth = onHealth
      state.healthChecks ??= setInterval(() => probe(state), HEALTH_CHECK_MILLISECONDS).unref()
    },
    async close() {
      state.isClosed = true
      clearInterval(state.healthChecks)
      await closeSqlPools(state.session.pools)
    },
  }
}

/** The same for a primary: begins with the first host that accepts writes. */
export async function openPrimaryPool(url: string, name: string, options: PoolOptions): Promise<Pool> {
  const hosts = splitHosts(url)
  return createPool(url, name, options, hosts.length > 1 ? await findWritable(hosts, name, options) : 0)
}

/** The index of the first host that accepts writes, or else that responds, or else the first. */
async function findWritable(hosts: readonly string[], name: string, options: PoolOptions): Promise<number> {
  let responding: number | undefined
  for (const [index, host] of hosts.entries()) {
    const { pools } = openSession(host, name, options)
    try {
      const [row] = await pools.probe.unsafe(`select current_setting('transaction_read_only') as mode`)
      if (row.mode === 'off') return index
      responding ??= index
    } catch (error) {
      if (!isServerError(error)) throw error
    } finally {
      await closeSqlPools(pools, 0)
    }
  }
  return responding ?? 0
}

const unavailable = (name: string, sentence: string) => new ServiceError('unavailable', `${name} ${sentence}`)

function openSession(url: string, name: string, options: PoolOptions): Session {
  try {
    return { pools: createSqlPools(url, options), waiting: new Set(), overdue: 0 }
  } catch (error) {
    const reason = `cannot be used: ${(error as Error).message}. Check the options of DATABASE_URL.`
    throw unavailable(name, reason)
  }
}

/** Runs the work, but fails as soon as the server is down. */
function guard<T>(
  state: State,
  limits: Limits,
  work: (pools: SqlPools, lost?: Timer) => PromiseLike<T>,
  isShort = false,
): Promise<T> {
  if (state.down) return Promise.reject(state.down)
  const { session, name } = state
  return new Promise<T>((resolve, reject) => {
    let isOverdue = false
    const isWaiting = () => session.waiting.has(reject)
    const giveUp = () => {
      if (!isWaiting()) return
      isOverdue = isShort
      if (isOverdue) session.overdue++
      reject(unavailable(name, 'is too slow.'))
    }
    const replace = () => {
      if (isWaiting() && session === state.session)
        markDown(state, unavailable(name, 'does not respond on an open connection.'))
    }
    // No limits before the first health check: a server may accept connections slowly.
    const timers = state.healthChecks ? [after(limits.lost, replace), after(limits.wait, giveUp)] : []
    const settle = () => {
      for (const timer of timers) clearTimeout(timer)
      session.waiting.delete(reject)
      if (isOverdue) session.overdue--
    }
    session.waiting.add(reject)
    work(session.pools, timers[0]).then(
      (result) => {
        settle()
        resolve(result)
      },
      (error) => {
        settle()
        if (state.healthChecks && isServerError(error)) void probe(state)
        reject(toServiceError(name, error))
      },
    )
  })
}

/** Replaces all connections: open ones may hang. The next host is tried. */
function markDown(state: State, error: ServiceError): void {
  if (state.isClosed) return
  if (!state.down) state.options.onNotice?.(error.message)
  state.down = error
  const old = state.session
  state.host = (state.host + 1) % state.hosts.length
  state.session = openSession(state.hosts[state.host] as string, state.name, state.options)
  void closeSqlPools(old.pools, 0)
  for (const fail of old.waiting) fail(error)
}

const HEALTH = `select current_setting('transaction_read_only') = 'off' as writes,
  pg_postmaster_start_time()::text as server,
  (select version from versions where name = 'keys')::float8 as keys,
  pg_is_in_recovery() as "isReplica",
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
    - '0/0'::pg_lsn)::float8 as lsn`

async function checkHealth(state: State): Promise<Health> {
  const { name, options, session } = state
  const { promise: timeout, reject } = Promise.withResolvers<never>()
  const timer = after(options.responseTimeout, () => reject(unavailable(name, 'does not respond.')))
  const sentAt = performance.now()
  try {
    const [row] = await Promise.race([session.pools.probe.unsafe(HEALTH), timeout])
    const { server, ...rest } = row as Pick<Health, 'writes' | 'keys' | 'isReplica' | 'lsn'> & {
      server: string
    }
    if (state.hosts.length > 1 && !rest.writes) throw readOnlyError(name, new Error('a standby'))
    // Another server may have equal counters for different changes.
    const isOtherServer = (state.server !== '' && server !== state.server) || state.down !== undefined
    state.server = server
    if (state.down) options.onNotice?.(`${name} responds again.`)
    state.down = undefined
    const health = { ...rest, isOtherServer, sentAt }
    state.onHealth(health)
    return health
  } catch (error) {
    const fault = toServiceError(name, error)
    const failure =
      fault instanceof ServiceError
        ? fault
        : unavailable(name, `cannot be used: ${(error as Error).message}.`)
    markDown(state, failure)
    throw failure
  } finally {
    clearTimeout(timer)
  }
}

/** Single-flight: concurrent calls share a health check. */
function probe(state: State): Promise<Health> {
  state.probing ??= checkHealth(state).finally(() => {
    state.probing = undefined
  })
  // Some calls ignore the result: checkHealth() has recorded the failure.
  state.probing.catch(() => undefined)
  return state.probing
}

/** Calls `work` after a delay; setImmediate processes results that arrived while this process was blocked. */
function after(milliseconds: number, work: () => void): Timer | undefined {
  if (milliseconds === Number.POSITIVE_INFINITY) return undefined
  return setTimeout(() => setImmediate(work), milliseconds)
}
