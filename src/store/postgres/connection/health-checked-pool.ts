import { SQL } from 'bun'
import { ServiceError } from '../../../domain/errors.ts'
import { isServerError, toServiceError } from './errors.ts'
import type { Query } from './query.ts'

const LONG_STATEMENT = 60_000

/** Limits in multiples of `responseTimeout`. The server cancels short statements; health checks detect a dead server earlier. */
const SHORT_STATEMENT = 1.5

/** A statement that runs this much longer than its limit is on a dead connection. */
const LOST = 1.5

/**
 * Wait for a result, including time in the queue. A short wait on the replica and another on the primary stay below two
 * seconds; a long wait stays below the ten seconds after which Bun closes an idle connection.
 */
const SHORT_WAIT = 0.7
const LONG_WAIT = 8

const HEALTH_CHECK_MILLISECONDS = 250

const MOST_CONNECTIONS = 1000

/** Separate connections for long statements: short ones must not wait for them. */
const LONG_CONNECTIONS = 2

export type PoolOptions = {
  /** For short statements. */
  connections: number
  /** Milliseconds without a response after which the server counts as down. */
  responseTimeout: number
  /** Timeout of a long statement in milliseconds. */
  longStatement?: number
  /** Reports that the server is down, and that it is back. */
  onNotice?: (sentence: string) => void
}

/**
 * Connection pools to one server, with health checks. When the server stops responding, pending calls fail, and later calls
 * fail at once until it responds again.
 */
export type Pool = {
  query: Query
  /** For statements that read many rows. */
  longQuery: Query
  /** Row and advisory locks are held until it ends. */
  transaction<T>(work: (query: Query) => Promise<T>, mode?: string): Promise<T>
  /** Throws `unavailable` if the server does not respond. */
  ping(): Promise<{ writes: boolean }>
  /** Starts the health checks; each success reports the version of the keys. */
  watch(onVersion: (keys: number, isOtherServer: boolean) => void): void
  close(): Promise<void>
}

/** Pools that are replaced together, and the pending calls on them. */
type Session = {
  pools: SqlPools
  waiting: Set<(error: unknown) => void>
  /** Short statements that still run after their timeout: new ones would be queued behind them. */
  overdue: number
}

/** Milliseconds until the call fails, and until the connection counts as dead. */
type Limits = { wait: number; lost: number }

/** Connects on first use. `name` is the server in messages. */
export function createPool(url: string, name: string, options: PoolOptions): Pool {
  const { responseTimeout, longStatement = LONG_STATEMENT, onNotice } = options
  const lost = longStatement + responseTimeout * LOST
  const short: Limits = {
    wait: responseTimeout * SHORT_WAIT,
    lost: responseTimeout * (SHORT_STATEMENT + LOST),
  }
  const long: Limits = { wait: responseTimeout * LONG_WAIT, lost }
  const unavailable = (sentence: string) => new ServiceError('unavailable', `${name} ${sentence}`)

  let session = openSession()
  let down: ServiceError | undefined
  let healthChecks: Timer | undefined
  let probing: Promise<{ writes: boolean }> | undefined
  let server = ''
  let notify: (keys: number, isOtherServer: boolean) => void = () => undefined
  let closed = false

  function openSession(): Session {
    try {
      return { pools: createSqlPools(url, options), waiting: new Set(), overdue: 0 }
    } catch (error) {
      throw unavailable(`cannot be used: ${(error as Error).message}. Check the options of DATABASE_URL.`)
    }
  }

  /** Runs the work, but fails as soon as the server is down. */
  function guard<T>(work: (pools: SqlPools, lost?: Timer) => PromiseLike<T>, limits: Limits): Promise<T> {
    if (down) return Promise.reject(down)
    const current = session
    return new Promise<T>((resolve, reject) => {
      let isOverdue = false
      const isWaiting = () => current.waiting.has(reject)
      const giveUp = () => {
        if (!isWaiting()) return
        isOverdue = limits === short
        if (isOverdue) current.overdue++
        reject(unavailable('is too slow.'))
      }
      const replace = () => {
        if (isWaiting() && current === session) {
          markDown(unavailable('does not respond on an open connection.'))
        }
      }
      // No limits before the first health check: a server may accept connections slowly.
      const timers = healthChecks ? [after(limits.lost, replace), after(limits.wait, giveUp)] : []
      const settle = () => {
        for (const timer of timers) clearTimeout(timer)
        current.waiting.delete(reject)
        if (isOverdue) current.overdue--
      }
      current.waiting.add(reject)
      work(current.pools, timers[0]).then(
        (result) => {
          settle()
          resolve(result)
        },
        (error) => {
          settle()
          if (healthChecks && isServerError(error)) void probe()
          reject(toServiceError(name, error))
        },
      )
    })
  }

  /** Replaces all connections: open ones may hang. */
  function markDown(error: ServiceError): void {
    if (closed) return
    if (!down) onNotice?.(error.message)
    down = error
    const old = session
    session = openSession()
    void closeSqlPools(old.pools, 0)
    for (const fail of old.waiting) fail(error)
  }

  async function checkHealth(): Promise<{ writes: boolean }> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = after(responseTimeout, () => reject(unavailable('does not respond.')))
    try {
      const response =
        session.pools.probe.unsafe(`select current_setting('transaction_read_only') = 'off' as writes,
        pg_postmaster_start_time()::text as server,
        (select version from versions where name = 'keys')::float8 as keys`)
      const [row] = await Promise.race([response, timeout])
      const { writes, server: answering, keys } = row as { writes: boolean; server: string; keys: number }
      // Another server may have equal counters for different changes.
      const isOtherServer = (server !== '' && answering !== server) || down !== undefined
      server = answering
      if (down) onNotice?.(`${name} responds again.`)
      down = undefined
      notify(keys, isOtherServer)
      return { writes }
    } catch (error) {
      const fault = toServiceError(name, error)
      const failure =
        fault instanceof ServiceError ? fault : unavailable(`cannot be used: ${(error as Error).message}.`)
      markDown(failure)
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  /** Single-flight: concurrent calls share a health check. */
  function probe(): Promise<{ writes: boolean }> {
    probing ??= checkHealth().finally(() => {
      probing = undefined
    })
    // Some calls ignore the result: checkHealth() has recorded the failure.
    probing.catch(() => undefined)
    return probing
  }

  return {
    query(text, values = []) {
      if (session.overdue > 0) return Promise.reject(unavailable('is too slow.'))
      return guard((pools) => pools.short.unsafe(text, [...values]), short)
    },
    longQuery: (text, values = []) => guard((pools) => pools.long.unsafe(text, [...values]), long),
    transaction: (work, mode = '') =>
      guard(
        (pools, timer) =>
          pools.long.begin(mode, (transaction) =>
            work((text, values = []) => {
              // The timeout applies to each statement and to the commit.
              timer?.refresh()
              return transaction.unsafe(text, [...values])
            }),
          ),
        { wait: Number.POSITIVE_INFINITY, lost },
      ),
    ping: probe,
    watch(onVersion) {
      notify = onVersion
      healthChecks ??= setInterval(probe, HEALTH_CHECK_MILLISECONDS).unref()
    },
    async close() {
      closed = true
      clearInterval(healthChecks)
      await closeSqlPools(session.pools)
    },
  }
}

/** Calls `work` after a delay; setImmediate processes results that arrived while this process was blocked. */
function after(milliseconds: number, work: () => void): Timer | undefined {
  if (milliseconds === Number.POSITIVE_INFINITY) return undefined
  return setTimeout(() => setImmediate(work), milliseconds)
}

type SqlPools = { short: SQL; long: SQL; probe: SQL }

function createSqlPools(
  url: string,
  { connections, responseTimeout, longStatement = LONG_STATEMENT }: PoolOptions,
): SqlPools {
  const { searchParams, pathname } = new URL(url)
  const database = decodeURIComponent(pathname.slice(1))
  const pool = (max: number, limit: number, settings: Record<string, string> = {}) =>
    new SQL(url, {
      max,
      // Otherwise PGDATABASE overrides the URL.
      ...(database && { database }),
      ...(!searchParams.has('connect_timeout') && { connectionTimeout: 5 }),
      connection: {
        application_name: 'passportd',
        statement_timeout: String(limit),
        // A stopped process must not hold locks until the others time out.
        idle_in_transaction_session_timeout: String(longStatement / 2),
        // Overrides the settings of the database.
        bytea_output: 'hex',
        default_transaction_isolation: 'read committed',
        ...settings,
        ...Object.fromEntries([...searchParams].filter(([key]) => key === 'application_name')),
      },
    })
  const max = Number(searchParams.get('max') ?? connections)
  if (!Number.isInteger(max) || max < 1 || max > MOST_CONNECTIONS) {
    throw new RangeError(`max must be a whole number from 1 to ${MOST_CONNECTIONS}`)
  }
  return {
    short: pool(max, responseTimeout * SHORT_STATEMENT),
    // Batches differ in size, and so do their best plans.
    long: pool(LONG_CONNECTIONS, longStatement, { plan_cache_mode: 'force_custom_plan' }),
    probe: pool(1, responseTimeout),
  }
}

async function closeSqlPools(pools: SqlPools, timeout?: number): Promise<void> {
  const options = timeout === undefined ? undefined : { timeout }
  await Promise.allSettled(Object.values(pools).map((sql) => sql.close(options)))
}
