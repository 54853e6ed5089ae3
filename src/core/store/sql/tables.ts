import type { Connection } from './connection.ts'

/** A table of the running database. `key` has the columns of its primary key, in their order. */
export type Table = { name: string; columns: string[]; key: string[] }

/** All tables, whichever release or feature has created them, sorted by name. */
export async function listTables({ query }: Connection): Promise<Table[]> {
  const rows = await query<{ table: string; column: string; key: number }>('select * from COLUMNS')
  const tables = [...Map.groupBy(rows, ({ table }) => table)].map(([name, columns]) => ({
    name,
    columns: columns.map(({ column }) => column),
    key: columns
      .filter(({ key }) => key > 0)
      .toSorted((one, other) => one.key - other.key)
      .map(({ column }) => column),
  }))
  return tables.sort((one, other) => (one.name < other.name ? -1 : 1))
}

export const listPassportTables = async (connection: Connection): Promise<string[]> =>
  (await listTables(connection))
    .filter(({ columns }) => columns.includes('passport_id'))
    .map(({ name }) => name)
