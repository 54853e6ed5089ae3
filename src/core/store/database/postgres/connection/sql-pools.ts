import { SQL } from 'bun'
import { unavailable } from '../../../../basics/errors.ts'
import { namePostgres } from '../../../database-address.ts'

const LONG_STATEMENT = 60_000

/** Multiples of `responseTimeout`: when the server cancels a short statement, and when its caller stops waiting. */
const SHORT_STATEMENT = 1.5
const SHORT_WAIT = 2

/** A connection counts as dead if a statement exceeds its limit by this multiple of `responseTimeout`. */
const LOST = 1.5

/** Time limit for opening a connection, which takes several round trips to the server. */
export const CONNECT_MILLISECONDS = 15_000

const MOST_CONNECTIONS = 1000

/** Long statements have their own connections, so that short ones do not wait for them. */
const LONG_CONNECTIONS = 2

export type PoolOptions = {
  /** How many connections are opened for short statements. */
  connections: number
  /** Milliseconds without any response after which the server counts as down. */
  responseTimeout: number
  /** Timeout of a long statement in milliseconds. */
  longStatement?: number
  /** Reports that the server is down, and that it is back. */
  onNotice?: (sentence: string) => void
}

/** Milliseconds until the call fails (`wait`), and until the connection counts as dead (`lost`). */
export type Limits = { wait: number; lost: number }

/** `pending` is the number of statements ahead of this one. Each connection processes one statement at a time. */
export function shortLimits({ short }: SqlPools, { responseTimeout }: PoolOptions, pending: number): Limits {
  const rounds = 1 + Math.floor(pending / (short.options.max ?? 1))
  return {
    wait: responseTimeout * SHORT_WAIT,
    lost: responseTimeout * (SHORT_STATEMENT * rounds + LOST),
  }
}

/** Long statements may wait for each other, so `wait` is unlimited. */
export const longLimits = ({ responseTimeout, longStatement = LONG_STATEMENT }: PoolOptions): Limits => ({
  wait: Number.POSITIVE_INFINITY,
  lost: LONG_CONNECTIONS * longStatement + responseTimeout * LOST,
})

export type SqlPools = { short: SQL; long: SQL; probe: SQL }

/** Pools to one host. */
function createSqlPools(
  url: string,
  { connections, responseTimeout, longStatement = LONG_STATEMENT }: PoolOptions,
): SqlPools {
  const { searchParams, pathname } = new URL(url)
  const database = decodeURIComponent(pathname.slice(1))
  const pool = (max: number, limit: number, settings: Record<string, string> = {}) =>
    new SQL(url, {
      max,
      // Without this option, PGDATABASE would override the database in the URL.
      ...(database && { database }),
      ...(!searchParams.has('connect_timeout') && { connectionTimeout: CONNECT_MILLISECONDS / 1000 }),
      connection: {
        application_name: 'passportd',
        statement_timeout: String(limit),
        // If a process hangs in a transaction, its locks must be released before other processes time out.
        idle_in_transaction_session_timeout: String(longStatement / 2),
        // The database may have other defaults for these settings.
        bytea_output: 'hex',
        default_transaction_isolation: 'read committed',
        // Compiling the statements of a small write would take most of a second.
        jit: 'off',
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
    // Batches of different sizes need different plans.
    long: pool(LONG_CONNECTIONS, longStatement, { plan_cache_mode: 'force_custom_plan' }),
    // The timeout of a health check is in `rejectWhenSilent`, which tolerates a slow server.
    probe: pool(1, longStatement),
  }
}

export async function closeSqlPools(pools: SqlPools, timeout?: number): Promise<void> {
  const options = timeout === undefined ? undefined : { timeout }
  await Promise.allSettled(Object.values(pools).map((sql) => sql.close(options)))
}

/** Pools that are replaced together, and the pending calls on them. */
export type Session = {
  pools: SqlPools
  waiting: Set<(error: unknown) => void>
  /** The number of short statements without a result, including those whose callers have given up. */
  pending: number
  /** When the last result arrived, by `performance.now()`. */
  lastResult?: number
}

export function openSession(url: string, options: PoolOptions): Session {
  try {
    return { pools: createSqlPools(url, options), waiting: new Set(), pending: 0 }
  } catch (error) {
    const reason = `cannot be used: ${(error as Error).message}. Check the options of DATABASE_URL.`
    throw unavailable(`${namePostgres(url)} ${reason}`)
  }
}

/** Calls `work` after a delay. If this process was blocked, the results that arrived meanwhile are handled first. */
export function after(milliseconds: number, work: () => void): Timer | undefined {
  if (milliseconds === Number.POSITIVE_INFINITY) return undefined
  return setTimeout(() => setImmediate(work), milliseconds)
}
