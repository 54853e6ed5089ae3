import { SQL } from 'bun'
import { ServiceError, unavailable } from '../../../../basics/errors.ts'
import { namePostgres } from '../../../database-address.ts'
import { toServiceError } from './errors.ts'

export type PoolOptions = {
  /** How many connections are opened for short statements. */
  connections: number
  /** Milliseconds without any result after which the server counts as down. */
  responseTimeout: number
  /** Timeout of a long statement in milliseconds. */
  longStatement?: number
  /** Of several hosts, uses the first that responds, even if it accepts no writes. */
  isForReads?: boolean
  /** Reports that the server is down, and that it is back. */
  onNotice?: (sentence: string) => void
}

/** Long statements have their own connections, so that short ones do not wait for them. */
export type Connections = Record<'short' | 'long' | 'probe', SQL>

export const READ_MODE = `select current_setting('transaction_read_only') as mode`

export const LONG_STATEMENT = 60_000

/** Connects to the first host that responds and accepts writes. A single host may be read-only. */
export async function connect(name: string, urls: readonly string[], options: PoolOptions) {
  const isForWrites = urls.length > 1 && !options.isForReads
  const failures: string[] = []
  for (const url of urls) {
    try {
      return await connectTo(url, options, isForWrites)
    } catch (error) {
      if (urls.length === 1) throw error
      failures.push((error as Error).message)
    }
  }
  throw unavailable(`${name} has no host that can be used. ${failures.join(' ')}`)
}

async function connectTo(url: string, options: PoolOptions, isForWrites: boolean): Promise<Connections> {
  const name = namePostgres(url)
  const { promise: silence, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(unavailable(`${name} does not respond.`)), options.responseTimeout)
  let connections: Connections | undefined
  try {
    connections = createPools(url, options)
    const [row] = await Promise.race([connections.probe.unsafe(READ_MODE), silence])
    if (isForWrites && row.mode === 'on') throw unavailable(`${name} is a standby.`)
    return connections
  } catch (error) {
    if (connections) void disconnect(connections)
    const failure = toServiceError(name, error)
    if (failure instanceof ServiceError) throw failure
    throw unavailable(
      `${name} cannot be used: ${(error as Error).message}. Check the options of its address.`,
    )
  } finally {
    clearTimeout(timer)
  }
}

function createPools(url: string, options: PoolOptions): Connections {
  const { connections, responseTimeout, longStatement = LONG_STATEMENT } = options
  const { searchParams, pathname } = new URL(url)
  const database = decodeURIComponent(pathname.slice(1))
  const pool = (max: number, timeout: number, settings = {}) =>
    new SQL(url, {
      max,
      bigint: true,
      // Without this option, PGDATABASE would override the database in the URL.
      ...(database && { database }),
      ...(!searchParams.has('connect_timeout') && { connectionTimeout: Math.ceil(responseTimeout / 1000) }),
      connection: {
        application_name: searchParams.get('application_name') ?? 'passportd',
        statement_timeout: timeout,
        // If a process hangs in a transaction, its locks must be released before other processes time out.
        idle_in_transaction_session_timeout: longStatement / 2,
        // The database may have other defaults. Compiling the statements of a small write would take most of a second.
        bytea_output: 'hex',
        default_transaction_isolation: 'read committed',
        jit: 'off',
        ...settings,
      },
    })
  return {
    short: pool(Number(searchParams.get('max') ?? connections), responseTimeout * 1.5),
    // Batches of different sizes need different plans.
    long: pool(2, longStatement, { plan_cache_mode: 'force_custom_plan' }),
    probe: pool(1, responseTimeout * 1.5),
  }
}

/** Waits `seconds` for pending statements. */
export const disconnect = (connections: Connections, seconds = 0) =>
  Promise.allSettled(Object.values(connections).map((sql) => sql.close({ timeout: seconds })))
