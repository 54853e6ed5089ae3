import type { Database, Statement } from 'bun:sqlite'

/** The version of `ranking` after the current transaction; stored in rows of listed passports. */
export const NEXT_VERSION = '(select version + 1 from ranking)'

/** To be called in every transaction that changes a listed passport: readers of the ranking compare it. */
export const incrementRankingVersion = (writer: Database): void =>
  void writer.query('update ranking set version = version + 1').run()

/** Inserts a row; its properties are the columns. */
export function prepareInsert(database: Database, table: string, conflict = ''): Statement {
  const names = columnsOf(database, table).map(({ name }) => name)
  const values = names.map((name) => (name === 'version' ? NEXT_VERSION : `$${name}`))
  return database.query(`insert into ${table} (${names}) values (${values}) ${conflict}`)
}

/** Inserts a row, or replaces the one with the same primary key if `where` holds. */
export function prepareUpsert(database: Database, table: string, where = 'true'): Statement {
  const columns = columnsOf(database, table)
  const key = columns.flatMap(({ name, pk }) => (pk > 0 ? [name] : []))
  const updates = columns.flatMap(({ name, pk }) => (pk > 0 ? [] : [`${name} = excluded.${name}`]))
  const change = updates.length === 0 ? 'nothing' : `update set ${updates} where ${where}`
  return prepareInsert(database, table, `on conflict (${key}) do ${change}`)
}

const columnsOf = (database: Database, table: string) =>
  database
    .query<{ name: string; pk: number }, [string]>('select name, pk from pragma_table_info(?)')
    .all(table)
