import { SQL } from 'bun'
import { ServiceError } from '../../../domain/errors.ts'
import { isFault, translate } from './errors.ts'
import type { Query } from './query.ts'

const LONG_STATEMENT = 60_000

/** Limits in multiples of `answerWithin`. The server ends short statements; a dead server is noticed earlier, by a health check. */
const SHORT_STATEMENT = 1.5

/** A statement that has not ended this long after its limit is on a dead connection. */
const LOST = 1.5

/**
 * How long a caller waits for a result that may be queued behind others: a short one twice, on replica and primary, stays
 * below two seconds; a long one below the ten after which Bun closes a silent connection.
 */
const SHORT_WAIT = 0.7
const LONG_WAIT = 8

const HEALTH_CHECK_MILLISECONDS = 250

const MOST_CONNECTIONS = 1000

/** Connections for long statements: short ones must never wait behind them. */
const LONG_CONNECTIONS = 2

export type LinkOptions = {
  /** For short statements. */
  connections: number
  /** Milliseconds after which a server that has not answered counts as down. */
  answerWithin: number
  /** The limit of a statement that reads or writes much, in milliseconds. */
  longStatement?: number
  /** Called when the server goes down, and when it is back. */
  onNotice?: (sentence: string) => void
}

/**
 * Connection pools to one server, with health checks. When the server stops answering, all that waits for it fails, and
 * later calls fail at once until it answers again.
 */
export type Link = {
  query: Query
  /** For statements that read much. */
  longQuery: Query
  /** Locks are held until it ends. */
  transaction<T>(work: (query: Query) => Promise<T>, mode?: string): Promise<T>
  /** Throws `unavailable` if the server does not answer; tells whether it takes writes. */
  ping(): Promise<{ writes: boolean }>
  /** Starts the health checks; each that succeeds reports the version of the keys. */
  watch(onVersion: (keys: number, isAnother: boolean) => void): void
  close(): Promise<void>
}

/** Pools that are replaced together, and the callers that wait for them. */
type Session = {
  pools: Pools
  waiting: Set<(error: unknown) => void>
  /** Short statements that run though their callers have given up: others would be queued behind them. */
  overdue: number
}

/** When the caller gives up, and when the connection must be dead; in milliseconds. */
type Limits = { wait: number; lost: number }

/** Connects when first asked. `name` is how messages call the server. */
export function createLink(url: string, name: string, options: LinkOptions): Link {
  const { answerWithin, longStatement = LONG_STATEMENT, onNotice } = options
  const lost = longStatement + answerWithin * LOST
  const short: Limits = { wait: answerWithin * SHORT_WAIT, lost: answerWithin * (SHORT_STATEMENT + LOST) }
  const long: Limits = { wait: answerWithin * LONG_WAIT, lost }
  const unavailable = (sentence: string) => new ServiceError('unavailable', `${name} ${sentence}`)

  let session = openSession()
  let down: ServiceError | undefined
  let healthChecks: Timer | undefined
  let probing: Promise<{ writes: boolean }> | undefined
  let server = ''
  let notify: (keys: number, isAnother: boolean) => void = () => undefined
  let closed = false

  function openSession(): Session {
    try {
      return { pools: createPools(url, options), waiting: new Set(), overdue: 0 }
    } catch (error) {
      throw unavailable(`cannot be used: ${(error as Error).message}. Look at the options of DATABASE_URL.`)
    }
  }

  /** Runs the work, unless the server is known to be down or is found to be so meanwhile. */
  function guard<T>(work: (pools: Pools, lost?: Timer) => PromiseLike<T>, limits: Limits): Promise<T> {
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
          markDown(unavailable('does not answer on a connection that was open.'))
        }
      }
      // Nothing is limited before the first health check: a server may take its time to accept connections.
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
          if (healthChecks && isFault(error)) void probe()
          reject(translate(name, error))
        },
      )
    })
  }

  /** Open connections may hang or lead nowhere: all are replaced. */
  function markDown(error: ServiceError): void {
    if (closed) return
    if (!down) onNotice?.(error.message)
    down = error
    const old = session
    session = openSession()
    void endPools(old.pools, 0)
    for (const fail of old.waiting) fail(error)
  }

  async function checkHealth(): Promise<{ writes: boolean }> {
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = after(answerWithin, () => reject(unavailable('does not answer.')))
    try {
      const asked =
        session.pools.probe.unsafe(`select current_setting('transaction_read_only') = 'off' as writes,
        pg_postmaster_start_time()::text as server,
        (select version from versions where name = 'keys')::float8 as keys`)
      const [row] = await Promise.race([asked, timeout])
      const { writes, server: answering, keys } = row as { writes: boolean; server: string; keys: number }
      // The counters of another server may be the same, with other changes behind them.
      const isAnother = (server !== '' && answering !== server) || down !== undefined
      server = answering
      if (down) onNotice?.(`${name} answers again.`)
      down = undefined
      notify(keys, isAnother)
      return { writes }
    } catch (error) {
      const fault = translate(name, error)
      const failure =
        fault instanceof ServiceError ? fault : unavailable(`cannot be used: ${(error as Error).message}.`)
      markDown(failure)
      throw failure
    } finally {
      clearTimeout(timer)
    }
  }

  /** One health check at a time; callers share it. */
  function probe(): Promise<{ writes: boolean }> {
    probing ??= checkHealth().finally(() => {
      probing = undefined
    })
    // For callers that do not wait for the result it is enough that the state has changed.
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
              // Each statement has the whole time, and so has the commit.
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
      await endPools(session.pools)
    },
  }
}

/** Calls `work` after that time. Results that arrived while our own process was blocked are read first. */
function after(milliseconds: number, work: () => void): Timer | undefined {
  if (milliseconds === Number.POSITIVE_INFINITY) return undefined
  return setTimeout(() => setImmediate(work), milliseconds)
}

type Pools = { short: SQL; long: SQL; probe: SQL }

function createPools(
  url: string,
  { connections, answerWithin, longStatement = LONG_STATEMENT }: LinkOptions,
): Pools {
  const { searchParams: given, pathname } = new URL(url)
  const database = decodeURIComponent(pathname.slice(1))
  const pool = (max: number, limit: number, settings: Record<string, string> = {}) =>
    new SQL(url, {
      max,
      // Bun would let PGDATABASE win over the address.
      ...(database && { database }),
      ...(!given.has('connect_timeout') && { connectionTimeout: 5 }),
      connection: {
        application_name: 'passportd',
        statement_timeout: String(limit),
        // A process that stopped in the middle of writing must not block the others until they give up.
        idle_in_transaction_session_timeout: String(longStatement / 2),
        // Override what is set for the database.
        bytea_output: 'hex',
        default_transaction_isolation: 'read committed',
        ...settings,
        ...Object.fromEntries([...given].filter(([key]) => key === 'application_name')),
      },
    })
  const max = Number(given.get('max') ?? connections)
  if (!Number.isInteger(max) || max < 1 || max > MOST_CONNECTIONS) {
    throw new RangeError(`max must be a whole number from 1 to ${MOST_CONNECTIONS}`)
  }
  return {
    short: pool(max, answerWithin * SHORT_STATEMENT),
    // Batches differ in size: the plan for one is wrong for another.
    long: pool(LONG_CONNECTIONS, longStatement, { plan_cache_mode: 'force_custom_plan' }),
    probe: pool(1, answerWithin),
  }
}

async function endPools(pools: Pools, timeout?: number): Promise<void> {
  const options = timeout === undefined ? undefined : { timeout }
  await Promise.allSettled(Object.values(pools).map((sql) => sql.close(options)))
}
