import { SQL } from 'bun'
import { ServiceError } from '../../domain/errors.ts'
import { isFault, translate } from './faults.ts'
import type { Query } from './query.ts'

const LONG_STATEMENT = 60_000

/** A short statement may take longer than a look at the server, by which one that is away is noticed first. */
const SHORT_STATEMENT_ANSWERS = 1.5

/** So long after its limit a server that can be heard has told that it ended a statement. */
const LOST_ANSWERS = 1.5

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
  /** The limit of a statement that reads or writes much, in milliseconds. */
  longStatement?: number
  /** Is told when the server goes away, and when it is back. */
  onNotice?: (sentence: string) => void
}

/** Somebody who waits for an answer, and what becomes of it. */
type Wait = {
  fail: (error: unknown) => void
  /** Until when they do so. */
  until: number
  isShort: boolean
  /** Nobody waits for it any more. */
  isOverdue: boolean
  /** From here on the connection must be dead. */
  lostAt: number
}

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
  /** Throws `unavailable` if the server does not answer; tells whether it takes writes. */
  ping(): Promise<{ writes: boolean }>
  /** Begins to look after the server; tells the version of the keys each time it answers. */
  watch(onVersion: (keys: number, isAnother: boolean) => void): void
  close(): Promise<void>
}

/** Connects when first asked. `name` is how messages call the server. */
export function createLink(url: string, name: string, options: LinkOptions): Link {
  let pools = openPools()
  let down: ServiceError | undefined
  let timer: Timer | undefined
  let probing: Promise<{ writes: boolean }> | undefined
  let server = ''
  let notify: (keys: number, isAnother: boolean) => void = () => undefined
  let closed = false
  const waiting = new Set<Wait>()
  /** Short statements that nobody waits for any more. Others would stand behind them. */
  let overdue = 0
  const { longStatement = LONG_STATEMENT } = options
  const shortLost = options.answerWithin * (SHORT_STATEMENT_ANSWERS + LOST_ANSWERS)
  const longLost = longStatement + options.answerWithin * LOST_ANSWERS

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
  function guard<T>(
    work: (wait: Wait) => PromiseLike<T>,
    { patience, lost }: { patience: number; lost: number },
  ): Promise<T> {
    if (down) return Promise.reject(down)
    return new Promise<T>((resolve, fail) => {
      const now = performance.now()
      const isShort = lost === shortLost
      const wait: Wait = { fail, until: now + patience, isShort, isOverdue: false, lostAt: now + lost }
      waiting.add(wait)
      work(wait).then(
        (result) => {
          settle(wait)
          resolve(result)
        },
        (error) => {
          settle(wait)
          if (timer && isFault(error)) probe()
          fail(translate(name, error))
        },
      )
    })
  }

  function settle(wait: Wait): void {
    if (waiting.delete(wait) && wait.isOverdue && wait.isShort) overdue--
  }

  /** Ends the waiting of those who have waited too long, though the server answers others. */
  function giveUp(): void {
    const now = performance.now()
    for (const wait of waiting) {
      if (wait.lostAt <= now) {
        markDown(lost)
        return
      }
      if (wait.isOverdue || wait.until > now) continue
      wait.isOverdue = true
      if (wait.isShort) overdue++
      wait.fail(tooSlow)
    }
  }

  function markDown(error: ServiceError): void {
    if (closed) return
    if (!down) options.onNotice?.(error.message)
    down = error
    // Connections that hang, or lead to where no server is any more, would be handed out again: they are given up.
    const old = pools
    pools = openPools()
    endPools(old, 0)
    for (const { fail } of waiting) fail(error)
    waiting.clear()
    overdue = 0
  }

  async function ask(): Promise<{ writes: boolean }> {
    const asked = pools.probe.unsafe(`select current_setting('transaction_read_only') = 'off' as writes,
      pg_postmaster_start_time()::text as server,
      (select version from versions where name = 'keys')::float8 as keys`)
    const [row] = await within(options.answerWithin, asked, name)
    const { writes, server: answering, keys } = row as { writes: boolean; server: string; keys: number }
    // Its counters go on from those of another, perhaps, with other changes behind the same numbers.
    const isAnother = (server !== '' && answering !== server) || down !== undefined
    server = answering
    if (down) options.onNotice?.(`${name} answers again.`)
    down = undefined
    notify(keys, isAnother)
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
  const lost = new ServiceError('unavailable', `${name} does not answer on a connection that was open.`)

  return {
    query(text, values = []) {
      if (overdue > 0) return Promise.reject(tooSlow)
      return guard(() => pools.short.unsafe(text, values as unknown[]), {
        patience: options.answerWithin * SHORT_WAIT_ANSWERS,
        lost: shortLost,
      })
    },
    longQuery: (text, values = []) =>
      guard(() => pools.long.unsafe(text, values as unknown[]), {
        patience: options.answerWithin * LONG_WAIT_ANSWERS,
        lost: longLost,
      }),
    transaction: (work, mode = '') =>
      guard(
        (wait) =>
          pools.long.begin(mode, (transaction) =>
            work((text, values = []) => {
              // Each statement has the whole time, and so has the end.
              wait.lostAt = performance.now() + longLost
              return transaction.unsafe(text, values as unknown[])
            }),
          ),
        { patience: Number.POSITIVE_INFINITY, lost: longLost },
      ),
    ping: probe,
    watch(onVersion) {
      notify = onVersion
      timer ??= setInterval(() => {
        // After a long pause of ours answers may be here already: they are read first.
        setImmediate(giveUp)
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
        // One that stopped in the middle of writing must not keep the others waiting until they give up.
        idle_in_transaction_session_timeout: String(longStatement / 2),
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
    // Batches differ in size: the plan for one is wrong for another.
    long: pool(LONG_CONNECTIONS, longStatement, { plan_cache_mode: 'force_custom_plan' }),
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
