import type { Query } from '../../sql/query.ts'

export type { Query }

/** Selects rows as JSON, in which 64-bit integers are numbers. All stored integers are safe integers. */
export async function selectRows<Row>(
  query: Query,
  table: string,
  rest: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await query<{ row: Row }>(`select to_json(${table}) as row from ${table} ${rest}`, values)
  return rows.map(({ row }) => row)
}

/** Inserts all rows in one statement, with an optional `on conflict` clause. Returns the rows of a `returning` clause. */
export async function insertRows<Row>(
  query: Query,
  table: string,
  rows: readonly object[],
  conflict = '',
): Promise<Row[]> {
  const [first] = rows
  if (first === undefined) return []
  const columns = Object.keys(first)
  return query<Row>(
    `insert into ${table} (${columns})
     select ${columns} from json_populate_recordset(null::${table}, $1::text::json) ${conflict}`,
    [JSON.stringify(rows)],
  )
}

/** The same; existing rows are replaced if `where` holds. */
export async function upsertRows<Row>(
  query: Query,
  table: string,
  key: string,
  rows: readonly object[],
  where = 'true',
): Promise<Row[]> {
  const updates = Object.keys(rows[0] ?? {}).map((name) => `${name} = excluded.${name}`)
  // `version` is the transaction that wrote the row.
  if (table === 'v1_passports') updates.push('version = excluded.version')
  return insertRows(query, table, rows, `on conflict (${key}) do update set ${updates} where ${where}`)
}
