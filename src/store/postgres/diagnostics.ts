import { namePostgres } from '../../config/database-address.ts'
import { type Diagnostics, readContents } from '../sql/diagnostics.ts'
import { isUnavailable } from './connection/errors.ts'
import { SERVER } from './connection/health.ts'
import { createPool, type Pool } from './connection/health-checked-pool.ts'
import { checkWritable, openPrimary } from './connection/primary.ts'
import { checkVersion, SCHEMA } from './migrate.ts'

const OPTIONS = { connections: 1, responseTimeout: 10_000 }

export async function diagnosePostgres(url: string): Promise<Diagnostics> {
  const name = namePostgres(url)
  const pool = openPrimary(url, OPTIONS)
  try {
    await checkWritable(pool)
    await checkPooler(url)
    const schema = await checkVersion(pool.query, name)
    const [row] = await pool.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    const contents = schema === SCHEMA ? { contents: await readContents(pool.longQuery) } : {}
    return { schema, knownSchema: SCHEMA, clock: row?.now ?? 0, ...contents }
  } finally {
    await pool.close()
  }
}

/**
 * A pooler may give the connection of one client to another, without the names of its prepared statements: then the second
 * client cannot use a name of the first one. Throws `unavailable` with the solution.
 */
async function checkPooler(url: string): Promise<void> {
  const clients = [openPrimary(url, OPTIONS), openPrimary(url, OPTIONS)]
  try {
    for (const { query } of clients) await query('select $1::integer as pooler', [1])
  } finally {
    await Promise.all(clients.map((client) => client.close()))
  }
}

/** The schema of a replica, and whether it gets the current changes of its primary within `maxLag` milliseconds. */
export async function diagnoseReplica(url: string, primaryUrl: string, maxLag: number) {
  const primary = openPrimary(primaryUrl, OPTIONS)
  const replica = createPool(url, OPTIONS)
  try {
    const schema = await checkVersion(replica.query, replica.name)
    const [state] = await replica.query<{ isReplica: boolean; isReceiving: boolean; server: string }>(
      `select pg_is_in_recovery() as "isReplica", exists (select from pg_stat_wal_receiver) as "isReceiving",
         ${SERVER} as server`,
    )
    const current = await findPosition(primary)
    const isUpToDate = !state?.isReplica || !current || (await reaches(replica, current.lsn, maxLag))
    const isPrimary = state !== undefined && state.server === current?.server
    return { schema, isReplica: false, isReceiving: false, ...state, isUpToDate, isPrimary }
  } finally {
    await Promise.all([primary.close(), replica.close()])
  }
}

/** `undefined` if the primary is unavailable or a standby, which is another finding. */
async function findPosition({ query }: Pool): Promise<{ lsn: string; server: string } | undefined> {
  try {
    const [row] = await query<{ lsn: string; server: string }>(
      `select pg_current_wal_flush_lsn()::text as lsn, ${SERVER} as server where not pg_is_in_recovery()`,
    )
    return row
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return undefined
  }
}

const RECHECK_REPLICA_MILLISECONDS = 100

/** Whether the replica replays the WAL up to a position in time. */
async function reaches({ query }: Pool, lsn: string, wait: number): Promise<boolean> {
  for (const end = performance.now() + wait; ; await Bun.sleep(RECHECK_REPLICA_MILLISECONDS)) {
    const [row] = await query<{ reached: boolean }>(
      'select pg_last_wal_replay_lsn() >= $1::text::pg_lsn as reached',
      [lsn],
    )
    if (row?.reached) return true
    if (performance.now() > end) return false
  }
}
