import { overloaded, ServiceError, unavailable } from '../../../../basics/errors.ts'
import { namePostgres } from '../../../database-address.ts'
import type { Query } from '../../../sql/connection.ts'
import { isResult, isServerError, toServiceError } from './errors.ts'
import {
  after,
  CONNECT_MILLISECONDS,
  closeSqlPools,
  type Limits,
  longLimits,
  openSession,
  type PoolOptions,
  type Session,
  type SqlPools,
  shortLimits,
} from './sql-pools.ts'

const HEALTH_CHECK_MILLISECONDS = 250

/** The maximum of pending short statements. More are refused, because a slow server would process them too late. */
const MOST_PENDING = 500

/**
 * Connection pools to one server, with health checks. Calls wait for a slow server. The server is down if it refuses
 * connections or sends nothing at all for `responseTimeout`. Then all calls fail at once, until it responds again.
 */
export type Pool = AsyncDisposable & {
  name: string
  query: Query
  /** For statements that read many rows. */
  longQuery: Query
  /** Row and advisory locks are held until the transaction ends. */
  transaction<T>(work: (query: Query) => Promise<T>, mode?: string): Promise<T>
  /** Returns the result of the last health check. Throws `unavailable` if the server is down. */
  ping(): Promise<{ writes: boolean }>
  isUp(): boolean
  /** Whether the server is up and accepted writes at the last health check. `undefined` before the first one. */
  acceptsWrites(): boolean | undefined
  /** Starts the health checks. Each successful one is passed to `onHealth`. */
  watch(onHealth: OnHealth): void
  close(): Promise<void>
}

/** `isOtherServer`: since the last check, the server was replaced, restarted or unavailable. */
type OnHealth = (health: Health, isOtherServer: boolean) => void

type State = {
  url: string
  name: string
  options: PoolOptions
  session: Session
  listeners: OnHealth[]
  isClosed: boolean
  /** Why the server is down. */
  down?: ServiceError | undefined
  healthChecks?: Timer
  probing?: Promise<Health> | undefined
  /** The last successful health check. */
  health?: Health
}

/** Connects on first use. */
export function createPool(url: string, options: PoolOptions): Pool {
  const name = namePostgres(url)
  const session = openSession(url, options)
  const state: State = { url, name, options, session, listeners: [], isClosed: false }
  const long = longLimits(options)
  const close = async () => {
    state.isClosed = true
    clearInterval(state.healthChecks)
    await closeSqlPools(state.session.pools)
  }
  return {
    name,
    query: (text, values = []) => runShort(state, (pools) => pools.short.unsafe(text, [...values])),
    longQuery: (text, values = []) => guard(state, long, (pools) => pools.long.unsafe(text, [...values])),
    transaction: (work, mode = '') =>
      guard(state, long, (pools, onStatement) =>
        pools.long.begin(mode, (connection) =>
          work((text, values = []) => {
            // The timeout applies to each statement and to the commit.
            onStatement()
            return connection.unsafe(text, [...values])
          }),
        ),
      ),
    async ping() {
      if (state.isClosed) throw unavailable(`${name} is closed.`)
      if (state.down) throw state.down
      // A slow server counts as available, so a health check that is still running is not awaited.
      return (state.healthChecks && state.health) ?? probe(state)
    },
    isUp: () => state.down === undefined,
    acceptsWrites: () => state.down === undefined && state.health?.writes,
    watch(onHealth) {
      state.listeners.push(onHealth)
      state.healthChecks ??= setInterval(() => probe(state), HEALTH_CHECK_MILLISECONDS).unref()
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function runShort<T>(state: State, work: (pools: SqlPools) => PromiseLike<T>): Promise<T> {
  const { session, options } = state
  if (session.pending >= MOST_PENDING)
    throw overloaded('The database has too many requests. Try again shortly.')
  return guard(state, shortLimits(session.pools, options, session.pending), async (pools) => {
    session.pending++
    try {
      return await work(pools)
    } finally {
      session.pending--
    }
  })
}

/** Runs `work`, but rejects as soon as the server is down. `onStatement` restarts the time limit. */
function guard<T>(
  state: State,
  limits: Limits,
  work: (pools: SqlPools, onStatement: () => void) => PromiseLike<T>,
): Promise<T> {
  if (state.down) return Promise.reject(state.down)
  const { session, name } = state
  return new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(unavailable(`${name} is too slow.`))
    const replace = () => {
      if (session.waiting.has(reject) && session === state.session)
        markDown(state, unavailable(`${name} does not respond on an open connection.`))
    }
    // Without health checks there is no time limit, because a server may accept connections slowly.
    const lost = state.healthChecks && after(limits.lost, replace)
    const timer = state.healthChecks && after(limits.wait, giveUp)
    const settle = () => {
      clearTimeout(lost)
      clearTimeout(timer)
      session.waiting.delete(reject)
    }
    session.waiting.add(reject)
    work(session.pools, () => lost?.refresh()).then(
      (result) => {
        settle()
        session.lastResult = performance.now()
        resolve(result)
      },
      (error) => {
        settle()
        if (isResult(error)) session.lastResult = performance.now()
        if (state.healthChecks && isServerError(error)) void probe(state)
        reject(toServiceError(name, error))
      },
    )
  })
}

/** Rejects all pending calls and opens new connections, because the old ones may hang. */
function markDown(state: State, error: ServiceError): void {
  if (state.isClosed) return
  if (!state.down) state.options.onNotice?.(error.message)
  state.down = error
  const old = state.session
  state.session = openSession(state.url, state.options)
  void closeSqlPools(old.pools, 0)
  for (const fail of old.waiting) fail(error)
}

async function checkHealth(state: State): Promise<Health> {
  const { name, options, session } = state
  try {
    const found = await readHealth(session, name, options.responseTimeout)
    // Listeners must clear caches then: another server can have the same counters but different data.
    const isOtherServer =
      (state.health !== undefined && found.server !== state.health.server) || state.down !== undefined
    if (state.down) options.onNotice?.(`${name} responds again.`)
    state.down = undefined
    state.health = found
    for (const onHealth of state.listeners) onHealth(found, isOtherServer)
    return found
  } catch (error) {
    // The failure is logged, and calls are rejected with it.
    const fault = toServiceError(name, error)
    const failure =
      fault instanceof ServiceError
        ? fault
        : unavailable(`${name} cannot be used: ${(error as Error).message}.`)
    if (session === state.session) markDown(state, failure)
    throw failure
  }
}

/** Single-flight: concurrent calls share a health check. */
function probe(state: State): Promise<Health> {
  state.probing ??= checkHealth(state).finally(() => {
    state.probing = undefined
  })
  // Callers may ignore the promise, because checkHealth() has recorded the failure.
  state.probing.catch(() => undefined)
  return state.probing
}

/** The result of a health check. */
export type Health = {
  writes: boolean
  /** A counter of changes of API keys. */
  keys: number
  server: string
  isReplica: boolean
  /** The position in the WAL: flushed on a primary, replayed on a replica. */
  lsn: number
  /** When the check was sent, by `performance.now()`. */
  sentAt: number
}

/** Identifies a server process and its database. */
const SERVER = `pg_postmaster_start_time()::text || ' ' || current_database()`

const HEALTH = `select current_setting('transaction_read_only') = 'off' as writes,
  ${SERVER} as server,
  (select version from versions where name = 'keys')::float8 as keys,
  pg_is_in_recovery() as "isReplica",
  (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end
    - '0/0'::pg_lsn)::float8 as lsn`

/** Throws if the server refuses connections, or if no statement gets a result for `timeout` milliseconds. */
async function readHealth(session: Session, name: string, timeout: number): Promise<Health> {
  const sentAt = performance.now()
  const silence = rejectWhenSilent(session, name, timeout)
  try {
    const [row] = await Promise.race([readTwice(session), silence.promise])
    session.lastResult = performance.now()
    return { ...(row as Omit<Health, 'sentAt'>), sentAt }
  } finally {
    silence.end()
  }
}

/** Tries twice: a server that closes one connection may accept another. */
async function readTwice({ pools }: Session): Promise<unknown[]> {
  try {
    return await pools.probe.unsafe(HEALTH)
  } catch (error) {
    if (!isServerError(error)) throw error
    return pools.probe.unsafe(HEALTH)
  }
}

/** A slow server is not silent: it sends results of other statements. Before the first result, it has more time. */
function rejectWhenSilent(session: Session, name: string, timeout: number) {
  const { promise, reject } = Promise.withResolvers<never>()
  const begin = performance.now()
  let timer: Timer | undefined
  function check(): void {
    const { lastResult } = session
    const end =
      lastResult === undefined ? begin + CONNECT_MILLISECONDS : Math.max(begin, lastResult) + timeout
    const rest = end - performance.now()
    if (rest <= 0) reject(unavailable(`${name} does not respond.`))
    else timer = after(rest, check)
  }
  check()
  return { promise, end: () => clearTimeout(timer) }
}
