import { namePostgres } from '../../domain/database-address.ts'
import type { DatabaseContents, Diagnostics } from '../diagnostics.ts'
import { PASSPORT_COUNTS, type PassportCounts, RECHECK_DELAY, STALE_COUNT } from '../rows/counts.ts'
import { OVERSIZED, type Oversized } from '../rows/oversized.ts'
import { createPool, type Pool } from './connection/health-checked-pool.ts'
import { createCopying } from './copy-tables.ts'
import { createKeys } from './keys.ts'
import { checkVersion, checkWritable, SCHEMA } from './migrate/migrate.ts'
import { createRetirement } from './settings.ts'

const OPTIONS = { connections: 1, responseTimeout: 10_000 }

export async function diagnosePostgres(url: string): Promise<Diagnostics> {
  const name = namePostgres(url)
  const pool = createPool(url, name, OPTIONS)
  try {
    await checkWritable(pool.query, name)
    const schema = await checkVersion(pool.query, name)
    const [row] = await pool.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    const contents = schema === SCHEMA ? { contents: await readContents(pool) } : {}
    return { schema, knownSchema: SCHEMA, clock: row?.now ?? 0, ...contents }
  } finally {
    await pool.close()
  }
}

/** The schema of a replica and its lag in milliseconds. */
export async function diagnoseReplica(url: string) {
  const name = namePostgres(url)
  const pool = createPool(url, name, OPTIONS)
  try {
    const schema = await checkVersion(pool.query, name)
    const [row] = await pool.query<{ is_replica: boolean; behind: number }>(
      `select pg_is_in_recovery() as is_replica,
         case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
           else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000, 0)
         end::float8 as behind`,
    )
    return { schema, isReplica: row?.is_replica ?? false, behind: row?.behind ?? 0 }
  } finally {
    await pool.close()
  }
}

async function readContents(pool: Pool): Promise<DatabaseContents> {
  const [counts] = (await pool.longQuery(PASSPORT_COUNTS)) as [PassportCounts]
  if (counts.stale > 0) await Bun.sleep(RECHECK_DELAY)
  const [later] = await pool.query<{ count: number }>(STALE_COUNT)
  return {
    ...counts,
    stillStale: later?.count ?? 0,
    keys: await createKeys(pool, undefined).keys.list(),
    oversized: await pool.longQuery<Oversized>(OVERSIZED),
    plan: await createRetirement(pool.query, pool.query).find(),
    copying: await createCopying(pool.query, pool.query).find(),
  }
}
