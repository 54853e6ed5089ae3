import { openPool } from '../../core/store/database/postgres/connection/pool.ts'
import { connectReader, translateErrors } from '../../core/store/database/sqlite/connect.ts'
import type { DatabaseAddress } from '../../core/store/database-address.ts'

/** `left`: where copies of removed rows are. The times are those of the last removal. */
export type Remains = { removedAt: number | undefined; left: string[] }

const LAST_REMOVAL = `select max(removed_at) as time from
  (select removed_at from removals union all select removed_at from barred_wallets) as removed`

/** Finds copies of removed rows that the database keeps. A removal overwrites the rows of a SQLite file at once. */
export const findRemains = async (address: DatabaseAddress): Promise<Remains> =>
  address.engine === 'sqlite' ? findSqliteRemains(address.path) : findPostgresRemains(address.url)

const findSqliteRemains = (path: string): Remains =>
  translateErrors(path, () => {
    using database = connectReader(path)
    const last = database.query<{ time: number | null }, []>(LAST_REMOVAL).get()
    return { removedAt: last?.time ?? undefined, left: [] }
  })

/** Sentences about the places where PostgreSQL keeps copies of deleted rows. $1: the time of the last removal. */
const LIST_REMAINS = `with tables as (
    select relname as name, n_dead_tup as dead,
      coalesce(greatest(last_analyze, last_autoanalyze) < to_timestamp($1::float8 / 1000), exists (
        select 1 from pg_stats where pg_stats.schemaname = tables.schemaname and tablename = relname
      )) as is_old
    from pg_stat_user_tables as tables where schemaname = current_schema()
      and relname <> 'removals' and (relname in ('passports', 'saved_index') or exists (
        select 1 from pg_attribute where attrelid = relid and attname = 'passport_id' and not attisdropped
      ))
  )
  select format('%1$s has dead rows (%2$s): run "vacuum full %1$s", which blocks reads and writes of the table.',
    name, dead) as text from tables where dead > 0
  union all
  select format('The statistics (pg_stats) of %s are older than the last removal: run "analyze".',
    string_agg(name, ', ' order by name)) from tables where is_old having count(*) > 0
  union all
  select format('The replication slot %s keeps %s of WAL until its client reads it: drop it if nobody does.', slot_name,
    pg_size_pretty(coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0))) from pg_replication_slots
  union all
  select 'WAL is archived (archive_mode): delete archived WAL of before the last removal.'
  from pg_settings where name = 'archive_mode' and setting <> 'off'
  union all
  select format('The schema %I has the tables before the migration: drop it if you do not need to go back.', nspname)
  from pg_namespace where nspname like current_schema() || '\\_before\\_%'`

async function findPostgresRemains(url: string): Promise<Remains> {
  await using pool = openPool(url, { connections: 1, responseTimeout: 10_000 })
  const [last] = await pool.read<{ time: number | null }>(LAST_REMOVAL)
  const removedAt = last?.time ?? undefined
  if (removedAt === undefined) return { removedAt, left: [] }
  const rows = await pool.read<{ text: string }>(LIST_REMAINS, [removedAt])
  return { removedAt, left: rows.map(({ text }) => text) }
}
