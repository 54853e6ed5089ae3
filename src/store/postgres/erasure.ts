import { count, size } from '../../domain/text/counts-and-sizes.ts'
import { PASSPORT_TABLES } from '../sql/copy-tables.ts'
import { LAST_REMOVAL, type Remains } from '../sql/diagnostics.ts'
import { PERSONAL_TABLES } from '../sql/load-and-save-write-model.ts'
import { openPrimary } from './connection/primary.ts'

const TABLES: readonly string[] = [...PASSPORT_TABLES.map(({ name }) => name), ...PERSONAL_TABLES, 'events']

/** Reads where PostgreSQL keeps copies of deleted rows. */
export async function findPostgresRemains(url: string): Promise<Remains> {
  await using pool = openPrimary(url, { connections: 1, responseTimeout: 10_000 })
  const [last] = await pool.query<{ time: number | null }>(LAST_REMOVAL)
  const removedAt = last?.time ?? undefined
  if (removedAt === undefined) return { removedAt, left: [] }
  const tables = await pool.query<{ name: string; dead: number; isOld: boolean }>(
    `select relname as name, n_dead_tup::float8 as dead,
       coalesce(greatest(last_analyze, last_autoanalyze) < to_timestamp($2::float8 / 1000), exists (
         select 1 from pg_stats where pg_stats.schemaname = tables.schemaname and tablename = relname
       )) as "isOld"
     from pg_stat_user_tables as tables where relname = any($1::text[]) and schemaname = current_schema() order by relname`,
    [TABLES, removedAt],
  )
  const slots = await pool.query<{ name: string; bytes: number }>(
    `select slot_name as name, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::float8 as bytes
     from pg_replication_slots where database is null or database = current_database() order by slot_name`,
  )
  const [archive] = await pool.query(
    "select 1 from pg_settings where name = 'archive_mode' and setting <> 'off'",
  )
  const dead = tables.filter((table) => table.dead > 0)
  const old = tables.filter(({ isOld }) => isOld).map(({ name }) => name)
  return {
    removedAt,
    left: [
      ...dead.map(
        (table) => `${table.name} has ${count(table.dead, 'dead row')}: run "vacuum full ${table.name}".`,
      ),
      ...(old.length > 0
        ? [`The statistics (pg_stats) of ${old.join(', ')} are older than the last removal: run "analyze".`]
        : []),
      ...slots.map(
        ({ name, bytes }) =>
          `The replication slot ${name} keeps ${size(bytes)} of WAL until its client reads it: drop it if nobody does.`,
      ),
      ...(archive ? ['WAL is archived (archive_mode): delete archived WAL of before the last removal.'] : []),
    ],
  }
}
