import { SQL } from 'bun'
import { ServiceError } from '../../domain/errors.ts'
import { isFault, translate } from './faults.ts'
import type { Query } from './query.ts'

/** The limit of a statement that reads or writes much, in milliseconds. */
const LONG_STATEMENT = 60_000

/** A short statement may take longer than a look at the server, by which one that is away is noticed first. */
const SHORT_STATEMENT_ANSWERS = 1.5

/**
 * How long somebody waits for an answer that may stand behind others, in times of what the server has to answer a look: a
 * short one twice, at either server, stays below two seconds; a long one below the ten that Bun keeps a connection
 * that says nothing.
 */
const SHORT_WAIT_ANSWERS = 0.7
const LONG_WAIT_ANSWERS = 8

/** How often a server is asked how it is. */
const WATCH_MILLISECONDS = 250

const MOST_CONNECTIONS = 1000

/** Connections for long statements: short ones must never wait behind them. */
const LONG_CONNECTIONS = 2

export type LinkOptions = {
  /** For short statements. */
  connections: number
  /** Milliseconds after which a server that has not answered counts as away. */
  answerWithin: number
  /** Is told when the server goes away, and when it is back. */
  onNotice?: (sentence: string) => void
}

export type Versions = { ranking: number; keys: number }

/**
 * The way to one server. One that stops answering is noticed within the time it has to answer: what waits for it then
 * fails, what comes later fails at once, until it answers again.
 */
export type Link = {
  query: Query
  /** For statements that read much. */
  longQuery: Query
  /** Locks are held until it ends. */
  transaction<T>(work: (query: Query) => Promise<T>, mode?: string): Promise<T>
  /** What the server said last; `undefined` while it is out of reach. */
  versions(): Versions | undefined
  /** Throws `unavailable` if the server does not answer; tells whether it takes writes. */
  ping(): Promise<{ writes: boolean }>
  /** Begins to look after the server. */
  watch(onVersions: (versions: Versions, isAnother: boolean) => void): void
  close(): Promise<void>
}

/** Connects when first asked. `name` is how messages call the server. */
export function createLink(url: string, name: string, options: LinkOptions): Link {
  let pools = openPools()
  let down: ServiceError | undefined
  let versions: Versions | undefined
  let timer: Timer | undefined
  let probing: Promise<{ writes: boolean }> | undefined
  let server = ''
  let notify: (versions: Versions, isAnother: boolean) => void = () => undefined
  let closed = false
  /** Until when those who wait for an answer do so. */
  const waiting = new Map<(error: unknown) => void, number>()
  /** Statements that nobody waits for any more. Others would stand behind them. */
  let overdue = 0

  function openPools(): Pools {
    try {
      return createPools(url, options)
    } catch (error) {
      const { message } = error as Error
      throw new ServiceError(
        'unavailable',
        `${name} cannot be used: ${message}. Look at the options of DATABASE_URL.`,
      )
    }
  }

  /** Runs the work, unless the server is known to be away or is found to be so meanwhile. */
  function guard<T>(work: () => PromiseLike<T>, limit: number): Promise<T> {
    if (down) return Promise.reject(down)
    return new Promise<T>((resolve, reject) => {
      waiting.set(reject, performance.now() + limit)
      work().then(
        (result) => {
          settle(reject)
          resolve(result)
        },
        (error) => {
          settle(reject)
          if (timer && isFault(error)) probe()
          reject(translate(name, error))
        },
      )
    })
  }

  function settle(reject: (error: unknown) => void): void {
    if (!waiting.delete(reject) && overdue > 0) overdue--
  }

  /** Ends the waiting of those who have waited too long, though the server answers others. */
  function giveUp(): void {
    const now = performance.now()
    for (const [reject, deadline] of waiting) {
      if (deadline > now) continue
      waiting.delete(reject)
      overdue++
      reject(tooSlow)
    }
  }

  function markDown(error: ServiceError): void {
    if (closed) return
    if (!down) options.onNotice?.(error.message)
    down = error
    versions = undefined
    // Connections that hang, or lead to where no server is any more, would be handed out again: they are given up.
    const old = pools
    pools = openPools()
    endPools(old, 0)
    for (const reject of waiting.keys()) reject(error)
    waiting.clear()
    overdue = 0
  }

  async function ask(): Promise<{ writes: boolean }> {
    const asked = pools.probe.unsafe(`select current_setting('transaction_read_only') = 'off' as writes,
      pg_postmaster_start_time()::text as server,
      (select version from versions where name = 'ranking')::float8 as ranking,
      (select version from versions where name = 'keys')::float8 as keys`)
    const [row] = await within(options.answerWithin, asked, name)
    const { writes, server: answering, ...seen } = row as Versions & { writes: boolean; server: string }
    // Its counters go on from those of another, perhaps, with other changes behind the same numbers.
    const isAnother = answering !== server || down !== undefined
    server = answering
    versions = seen
    if (down) options.onNotice?.(`${name} answers again.`)
    down = undefined
    notify(versions, isAnother)
    return { writes }
  }

  function probe(): Promise<{ writes: boolean }> {
    probing ??= ask()
      .catch((error) => {
        const fault = translate(name, error)
        const failure =
          fault instanceof ServiceError
            ? fault
            : new ServiceError('unavailable', `${name} cannot be used: ${(error as Error).message}.`)
        markDown(failure)
        throw failure
      })
      .finally(() => {
        probing = undefined
      })
    // Those who want to know wait for it; for the others it is enough that the state has changed.
    probing.catch(() => undefined)
    return probing
  }

  const tooSlow = new ServiceError('unavailable', `${name} is too slow.`)

  return {
    query(text, values = []) {
      if (overdue > 0) return Promise.reject(tooSlow)
      return guard(
        () => pools.short.unsafe(text, values as unknown[]),
        options.answerWithin * SHORT_WAIT_ANSWERS,
      )
    },
    longQuery: (text, values = []) =>
      guard(() => pools.long.unsafe(text, values as unknown[]), options.answerWithin * LONG_WAIT_ANSWERS),
    transaction: (work, mode = '') =>
      guard(
        () =>
          pools.long.begin(mode, (transaction) =>
            work((text, values = []) => transaction.unsafe(text, values as unknown[])),
          ),
        Number.POSITIVE_INFINITY,
      ),
    versions: () => versions,
    ping: probe,
    watch(onVersions) {
      notify = onVersions
      timer ??= setInterval(() => {
        giveUp()
        probe()
      }, WATCH_MILLISECONDS).unref()
    },
    async close() {
      closed = true
      clearInterval(timer)
      await endPools(pools)
    },
  }
}

type Pools = { short: SQL; long: SQL; probe: SQL }

function createPools(url: string, { connections, answerWithin }: LinkOptions): Pools {
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
        // One that stopped in the middle of writing must not keep the others waiting until they give up.
        idle_in_transaction_session_timeout: String(LONG_STATEMENT / 2),
        // Whatever is set for the database.
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
    short: pool(max, answerWithin * SHORT_STATEMENT_ANSWERS),
    // A keyword is common or rare: the plan for one is wrong for the other.
    long: pool(LONG_CONNECTIONS, LONG_STATEMENT, { plan_cache_mode: 'force_custom_plan' }),
    probe: pool(1, answerWithin),
  }
}

async function endPools(pools: Pools, timeout?: number): Promise<void> {
  const options = timeout === undefined ? undefined : { timeout }
  await Promise.allSettled(Object.values(pools).map((sql) => sql.close(options)))
}

async function within<T>(limit: number, work: PromiseLike<T>, name: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    // After a long pause of ours the answer may be here already: it is read first.
    () => setImmediate(() => reject(new ServiceError('unavailable', `${name} does not answer.`))),
    limit,
  )
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}
