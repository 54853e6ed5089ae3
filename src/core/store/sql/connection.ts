import type { Awaitable } from '../../basics/awaitable.ts'

/** Runs one statement, which may have the words of `words.ts`. A parameter that is a list is passed as JSON. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** Runs a frequent read. SQLite returns the rows at once. */
export type Lookup = <Row>(text: string, values?: readonly unknown[]) => Awaitable<Row[]>

export async function listColumn<T>(query: Lookup, text: string, values?: readonly unknown[]): Promise<T[]> {
  const rows = await query<Record<string, T>>(text, values)
  return rows.flatMap((row) => Object.values(row))
}

/** The number that a select of one row and one column returns. */
export const findNumber = async (query: Query, text: string, values?: readonly unknown[]) =>
  (await listColumn<number>(query, text, values))[0] ?? 0

/** Statements of one connection or one transaction. Rows are JSON. */
export type Connection = {
  query: Query
  /** Inserts rows with the same columns, with an optional `on conflict` clause. */
  insertRows<Row>(table: string, rows: readonly object[], conflict?: string): Promise<Row[]>
}

/** Inserts rows. A row with the same key is replaced if `where` holds. */
export async function upsertRows(
  { insertRows }: Connection,
  table: string,
  key: readonly string[],
  rows: readonly object[],
  where = 'true',
): Promise<void> {
  const updates = Object.keys(rows[0] ?? {}).map((name) => `${name} = excluded.${name}`)
  await insertRows(table, rows, `on conflict (${key}) do update set ${updates} where ${where}`)
}

/** Held until a transaction ends. `records` admits one writer of records, `rules` no other user of the rule set. */
export type Lock = 'records' | 'rules' | 'rules shared'

/** A transaction that may write. */
export type Transaction = Connection & {
  /** After the commit, truncates the WAL (SQLite), because it contains copies of removed rows. */
  eraseRemoved(): void
}

export type Database = {
  /** For frequent reads. On SQLite, they may lack what other connections wrote in the last milliseconds. */
  lookup: Lookup
  read: Connection
  /** For statements that read many rows. */
  long: Connection
  write: Query
  transaction<T>(work: (transaction: Transaction) => Promise<T>, lock?: Lock): Promise<T>
  /** All reads of `work` see the same state of the database. */
  snapshot<T>(work: (connection: Connection) => Promise<T>): Promise<T>
}
