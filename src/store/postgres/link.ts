import { SQL } from 'bun'
import { ServiceError } from '../../domain/errors.ts'
import { isFault, translate } from './faults.ts'
import type { Query } from './query.ts'

/** The limit of a statement that reads or writes much, in milliseconds. */
const LONG_STATEMENT = 60_000

/** A short statement may take longer than a look at the server, by which one that is away is noticed first. */
const SHORT_STATEMENT_ANSWERS = 1.5

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
  watch(onVersions: (versions: Versions) => void): void
  close(): Promise<void>
}

/** Connects when first asked. `name` is how messages call the server. */
export function createLink(url: string, name: string, options: LinkOptions): Link {
  let pools = openPools()
  let down: ServiceError | undefined
  let versions: Versions | undefined
  let timer: Timer | undefined
  let probing: Promise<{ writes: boolean }> | undefined
  let notify: (versions: Versions) => void = () => undefined
  let closed = false
  const waiting = new Set<(error: unknown) => void>()

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
  function guard<T>(work: () => PromiseLike<T>): Promise<T> {
    if (down) return Promise.reject(down)
    return new Promise<T>((resolve, reject) => {
      waiting.add(reject)
      work().then(
        (result) => {
          waiting.delete(reject)
          resolve(result)
        },
        (error) => {
          waiting.delete(reject)
          if (timer && isFault(error)) probe()
          reject(translate(name, error))
        },
      )
    })
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
    for (const reject of waiting) reject(error)
    waiting.clear()
  }

  async function ask(): Promise<{ writes: boolean }> {
    const asked = pools.probe.unsafe(`select current_setting('transaction_read_only') = 'off' as writes,
      (select version from versions where name = 'ranking')::float8 as ranking,
      (select version from versions where name = 'keys')::float8 as keys`)
    const [row] = await within(options.answerWithin, asked, name)
    const { writes, ...seen } = row as Versions & { writes: boolean }
    versions = seen
    if (down) options.onNotice?.(`${name} answers again.`)
    down = undefined
    notify(versions)
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

  const querying =
    (sql: () => SQL): Query =>
    (text, values = []) =>
      guard(() => sql().unsafe(text, values as unknown[]))

  return {
    query: querying(() => pools.short),
    longQuery: querying(() => pools.long),
    transaction: (work, mode = '') =>
      guard(() =>
        pools.long.begin(mode, (transaction) =>
          work((text, values = []) => transaction.unsafe(text, values as unknown[])),
        ),
      ),
    versions: () => versions,
    ping: probe,
    watch(onVersions) {
      notify = onVersions
      timer ??= setInterval(probe, WATCH_MILLISECONDS).unref()
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
