import { SQL } from 'bun'
import { namePostgres } from '../../../config/database-address.ts'
import { ServiceError } from '../../../domain/errors.ts'

const LONG_STATEMENT = 60_000

/** Limits in multiples of `responseTimeout`: the server cancels a short statement, and its caller stops waiting for it. */
const SHORT_STATEMENT = 1.5
const SHORT_WAIT = 2

/** A statement that runs this much longer than its limit may be on a dead connection. */
const LOST = 1.5

/** Limit of a new connection. A slow server needs several responses for it. */
export const CONNECT_MILLISECONDS = 15_000

const MOST_CONNECTIONS = 1000

/** Separate connections for long statements: short ones must not wait for them. */
const LONG_CONNECTIONS = 2

export type PoolOptions = {
  /** For short statements. */
  connections: number
  /** Milliseconds without any response after which the server counts as down. */
  responseTimeout: number
  /** Timeout of a long statement in milliseconds. */
  longStatement?: number
  /** Reports that the server is down, and that it is back. */
  onNotice?: (sentence: string) => void
}

/** Milliseconds until the call fails, and until the connection counts as dead. */
export type Limits = { wait: number; lost: number }

/** `pending` statements are before this one: the server processes as many at once as there are connections. */
export function shortLimits({ short }: SqlPools, { responseTimeout }: PoolOptions, pending: number): Limits {
  const rounds = 1 + Math.floor(pending / (short.options.max ?? 1))
  return {
    wait: responseTimeout * SHORT_WAIT,
    lost: responseTimeout * (SHORT_STATEMENT * rounds + LOST),
  }
}

/** Long statements may wait for each other. */
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
      // Otherwise PGDATABASE overrides the URL.
      ...(database && { database }),
      ...(!searchParams.has('connect_timeout') && { connectionTimeout: CONNECT_MILLISECONDS / 1000 }),
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
    // The health check has its own timeout, which a slow server does not reach.
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
  /** Short statements without a result, including those whose callers have given up. */
  pending: number
  /** When the last result arrived, by `performance.now()`. */
  lastResult?: number
}

export function openSession(url: string, options: PoolOptions): Session {
  try {
    return { pools: createSqlPools(url, options), waiting: new Set(), pending: 0 }
  } catch (error) {
    const reason = `cannot be used: ${(error as Error).message}. Check the options of DATABASE_URL.`
    throw unavailable(namePostgres(url), reason)
  }
}

export const unavailable = (name: string, sentence: string) =>
  new ServiceError('unavailable', `${name} ${sentence}`)

/** Calls `work` after a delay; setImmediate processes results that arrived while this process was blocked. */
export function after(milliseconds: number, work: () => void): Timer | undefined {
  if (milliseconds === Number.POSITIVE_INFINITY) return undefined
  return setTimeout(() => setImmediate(work), milliseconds)
}
