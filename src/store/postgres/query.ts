/** Runs one statement, prepared once a connection; `$1` stands for the first value. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** The columns of a table that are written and read in bulk, with their types. Bytes travel as hexadecimal text. */
export type Columns = Readonly<Record<string, 'bigint' | 'float8' | 'integer' | 'text' | 'bytes'>>

/** JavaScript has one kind of number: 64-bit integers leave as it, all of ours are exact in it. */
export const selectable = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, type]) => {
      if (type === 'bytes') return `encode(${name}, 'hex') as ${name}`
      return type === 'bigint' ? `${name}::float8 as ${name}` : name
    })
    .join(', ')

/** Inserts all rows in one statement; `conflict` may say what becomes of those that are there. */
export async function insertRows(
  query: Query,
  table: string,
  columns: Columns,
  rows: readonly object[],
  conflict = '',
): Promise<void> {
  if (rows.length === 0) return
  const types = Object.entries(columns).map(([name, type]) => `${name} ${type === 'bytes' ? 'text' : type}`)
  const given = Object.entries(columns).map(([name, type]) =>
    type === 'bytes' ? `decode(${name}, 'hex')` : name,
  )
  await query(
    `insert into ${table} (${Object.keys(columns)})
     select ${given} from json_to_recordset($1::text::json) as given(${types}) ${conflict}`,
    [JSON.stringify(rows)],
  )
}

/** The same; rows whose key is there already are replaced. The first column is the key. */
export function upsertRows(
  query: Query,
  table: string,
  columns: Columns,
  rows: readonly object[],
  { also, where }: { also?: string; where?: string } = {},
): Promise<void> {
  const [key, ...others] = Object.keys(columns)
  const updates = [...others, ...(also ? [also] : [])].map((name) => `${name} = excluded.${name}`)
  const conflict = `on conflict (${key}) do update set ${updates.join(', ')} ${where ? `where ${where}` : ''}`
  return insertRows(query, table, columns, rows, conflict)
}
