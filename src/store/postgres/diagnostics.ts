import { namePostgres } from '../../domain/database-address.ts'
import type { Examination, ExaminedContents } from '../diagnostics.ts'
import { PASSPORT_COUNTS, type PassportCounts, STALE_COUNT, WATCH_MILLISECONDS } from '../rows/counts.ts'
import { createLink, type Link } from './connection/health-checked-pool.ts'
import { createCopying } from './copy-tables.ts'
import { createKeys } from './keys.ts'
import { checkVersion, checkWritable, SCHEMA } from './migrate/migrate.ts'
import { createRetirement } from './settings.ts'

const OPTIONS = { connections: 1, answerWithin: 10_000 }

export async function examinePostgres(url: string): Promise<Examination> {
  const name = namePostgres(url)
  const link = createLink(url, name, OPTIONS)
  try {
    await checkWritable(link.query, name)
    const schema = await checkVersion(link.query, name)
    const [row] = await link.query<{ now: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    )
    const contents = schema === SCHEMA ? { contents: await readContents(link) } : {}
    return { schema, knownSchema: SCHEMA, clock: row?.now ?? 0, ...contents }
  } finally {
    await link.close()
  }
}

/** How a replica is: its schema, and by how many milliseconds it was behind, where it can tell. */
export async function examineReplica(url: string) {
  const name = namePostgres(url)
  const link = createLink(url, name, OPTIONS)
  try {
    const schema = await checkVersion(link.query, name)
    const [row] = await link.query<{ is_replica: boolean; behind: number }>(
      `select pg_is_in_recovery() as is_replica,
         case when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
           else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()) * 1000, 0)
         end::float8 as behind`,
    )
    return { schema, isReplica: row?.is_replica ?? false, behind: row?.behind ?? 0 }
  } finally {
    await link.close()
  }
}

async function readContents(link: Link): Promise<ExaminedContents> {
  const [counts] = (await link.longQuery(PASSPORT_COUNTS)) as [PassportCounts]
  if (counts.stale > 0) await Bun.sleep(WATCH_MILLISECONDS)
  const [later] = await link.query<{ count: number }>(STALE_COUNT)
  return {
    ...counts,
    stillStale: later?.count ?? 0,
    keys: await createKeys(link, undefined).keys.list(),
    plan: await createRetirement(link.query, link.query).find(),
    copying: await createCopying(link.query, link.query).find(),
  }
}
