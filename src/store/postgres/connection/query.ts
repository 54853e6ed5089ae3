/** Runs one statement, prepared once a connection; `$1` stands for the first value. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>

/** Rows of a table. They come as JSON, in which 64-bit integers are numbers: all of ours are exact. */
export async function selectRows<Row>(
  query: Query,
  table: string,
  rest: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await query<{ row: Row }>(`select to_json(${table}) as row from ${table} ${rest}`, values)
  return rows.map(({ row }) => row)
}

/** Inserts all rows in one statement; `conflict` may say what becomes of those that are there. */
export async function insertRows(
  query: Query,
  table: string,
  rows: readonly object[],
  conflict = '',
): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const columns = Object.keys(first)
  await query(
    `insert into ${table} (${columns})
     select ${columns} from json_populate_recordset(null::${table}, $1::text::json) ${conflict}`,
    [JSON.stringify(rows)],
  )
}

/** The same; rows whose key is there already are replaced, where `where` holds. */
export async function upsertRows(
  query: Query,
  table: string,
  key: string,
  rows: readonly object[],
  where = 'true',
): Promise<void> {
  const updates = Object.keys(rows[0] ?? {}).map((name) => `${name} = excluded.${name}`)
  // Rows of listed passports carry the transaction that wrote them.
  if (table === 'v1_passports') updates.push('version = excluded.version')
  await insertRows(query, table, rows, `on conflict (${key}) do update set ${updates} where ${where}`)
}
