import type { CopyItem, CopyKey, CopyRange } from '../copy-table.ts'

/** Bytes are hexadecimal text, as in the JSON of PostgreSQL. */
export type Row = Record<string, string | number | null>

/** A table that is copied row by row, and its key columns. */
export type PlainTable = { name: string; key: readonly string[] }

export const PLAIN_TABLES: readonly PlainTable[] = [
  { name: 'keys', key: ['id'] },
  { name: 'removals', key: ['passport_id'] },
  { name: 'usage', key: ['day', 'key_id', 'endpoint', 'status'] },
  { name: 'settings', key: ['name'] },
  { name: 'mirror_runs', key: ['source'] },
  { name: 'mirrored', key: ['source', 'passport_id'] },
  { name: 'rule_sets', key: ['stamp'] },
]

/** The tables with rows of a passport, in write order. */
export const PASSPORT_TABLES = [
  { name: 'passports', id: 'id', order: 'id' },
  { name: 'wallets', id: 'passport_id', order: 'passport_id, address' },
  { name: 'credentials', id: 'passport_id', order: 'passport_id' },
  { name: 'data_points', id: 'passport_id', order: 'passport_id, type, account' },
  { name: 'handles', id: 'passport_id', order: 'passport_id, handle' },
  { name: 'v1_passports', id: 'passport_id', order: 'passport_id' },
  { name: 'v1_credentials', id: 'passport_id', order: 'passport_id' },
] as const

/** The setting with the id of the database. It is not copied. */
export const IDENTITY = 'database_id'

/** The setting with the retirement plan. */
export const RETIREMENT = 'retirement'

/** The setting with the source of a copy; not copied itself. */
export const COPYING = 'copying'

export const toRowItem = ({ key }: PlainTable, row: Row): CopyItem => ({
  key: key.map((column) => row[column] as string | number),
  value: row,
})

export const fromRowItem = ({ value }: CopyItem): Row => value as Row

/** One item per passport. `tables` has the rows of each table, in the order of `PASSPORT_TABLES`. */
export function toPassportItems(tables: readonly Row[][]): CopyItem[] {
  const groups = tables.map((rows, at) => Map.groupBy(rows, (row) => row[PASSPORT_TABLES[at]?.id ?? '']))
  return (tables[0] ?? []).map(({ id }) => ({
    key: [id as number],
    value: groups.map((group) => (group.get(id as number) ?? []).map(withoutVersion)),
  }))
}

/** Reverses `toPassportItems`. */
export const fromPassportItems = (items: readonly CopyItem[]): Row[][] =>
  PASSPORT_TABLES.map((_, at) => items.flatMap(({ value }) => (value as Row[][])[at] ?? []))

/** Versions are local to a database. */
const withoutVersion = ({ version: _, ...row }: Row): Row => row

/** The SQL condition of a range, and the values of its parameters. */
export function rangeOf(key: readonly string[], { after, until }: CopyRange) {
  const values: (string | number)[] = []
  const bound = (operator: string, end: CopyKey) => {
    const marks = end.map((value) => `$${values.push(value)}`)
    return `(${key.join(', ')}) ${operator} (${marks.join(', ')})`
  }
  const conditions = [...(after ? [bound('>', after)] : []), ...(until ? [bound('<=', until)] : [])]
  return { condition: conditions.join(' and ') || 'true', values }
}

/** Like `rangeOf`, without the setting that marks a copy. */
export function plainRangeOf(table: PlainTable, range: CopyRange) {
  const { condition, values } = rangeOf(table.key, range)
  return {
    condition: table.name === 'settings' ? `${condition} and name <> '${COPYING}'` : condition,
    values,
  }
}
