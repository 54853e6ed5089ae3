import { namePostgres } from '../../domain/database-address.ts'
import type { Diagnostics } from '../diagnostics.ts'
import { readContents } from '../shared/contents.ts'
import { createPool, type Pool } from './connection/health-checked-pool.ts'
import { checkWritable, openPrimary } from './connection/primary.ts'
import { createKeys } from './keys.ts'
import { checkVersion, SCHEMA } from './migrate/migrate.ts'

const OPTIONS = { connections: 1, responseTimeout: 10_000 }

export async function diagnosePostgres(url: string): Promise<Diagnostics> {
  const name = namePostgres(url)
  const pool = await openPrimary(url, OPTIONS)
  try {
    await checkWritable(pool)
    const schema = await checkVersion(pool.query, name)
    const [row] = await pool.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    const { keys } = createKeys(pool, undefined)
    const contents = schema === SCHEMA ? { contents: await readContents(pool.longQuery, keys) } : {}
    return { schema, knownSchema: SCHEMA, clock: row?.now ?? 0, ...contents }
  } finally {
    await pool.close()
  }
}

/** The schema of a replica, and whether it gets the current changes of its primary within `maxLag` milliseconds. */
export async function diagnoseReplica(url: string, primaryUrl: string, maxLag: number) {
  const primary = await openPrimary(primaryUrl, OPTIONS)
  const replica = createPool(url, OPTIONS)
  try {
    const schema = await checkVersion(replica.query, replica.name)
    const [state] = await replica.query<{ isReplica: boolean; isReceiving: boolean }>(
      `select pg_is_in_recovery() as "isReplica", exists (select from pg_stat_wal_receiver) as "isReceiving"`,
    )
    // An unavailable primary is another finding.
    const [current] = await primary
      .query<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
      .catch(() => [])
    const isUpToDate = !state?.isReplica || !current || (await reaches(replica, current.lsn, maxLag))
    return { schema, isReplica: false, isReceiving: false, ...state, isUpToDate }
  } finally {
    await Promise.all([primary.close(), replica.close()])
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
