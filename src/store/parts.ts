import type { Credential } from '../domain/credential.ts'
import type { DataPoint } from '../domain/data-point.ts'
import type { StoredRow } from './rows/passport.ts'
import type { V1Body } from './rows/v1.ts'
import type { PartItem, PartKey, PartRange } from './store.ts'
import type { TrackedWriteModel } from './v1-renderer.ts'

/** A passport exactly as it is kept, with all that belongs to it. */
export type KeptPassport = {
  row: StoredRow
  /** Addresses that lead to it, by their bytes. */
  wallets: string[]
  credentials: Credential[]
  /** The V1 credentials response; `null` for a merged passport. */
  shown: V1Body | null
  dataPoints: DataPoint[]
}

/** Puts the passports in place of those with the ids `there`. */
export function replacePassports(
  model: TrackedWriteModel,
  there: readonly number[],
  kept: readonly KeptPassport[],
): void {
  for (const id of there) model.passports.remove(id)
  for (const { row, wallets, credentials, dataPoints } of kept) {
    model.passports.insert(row)
    for (const wallet of wallets) {
      if (model.wallets.findOwner(wallet) === undefined) model.wallets.insert(wallet, row.id)
      else model.wallets.setOwner(wallet, row.id)
    }
    if (credentials.length > 0) model.credentials.put(row.id, credentials)
    model.dataPoints.replace(row.id, dataPoints)
  }
  model.renderV1()
  for (const { row, shown } of kept) if (shown) model.v1.putCredentials({ passport_id: row.id, ...shown })
}

export const toPassportItem = (kept: KeptPassport): PartItem => ({ key: [kept.row.id], value: kept })
export const fromPassportItem = ({ value }: PartItem): KeptPassport => value as KeptPassport

/** The tables beside those of passports, for copying: the first columns, as many as `keys`, are the key. */
export type PlainTable = {
  name: string
  keys: number
  columns: Readonly<Record<string, 'bigint' | 'integer' | 'text' | 'bytes'>>
}

export const PLAIN_TABLES: readonly PlainTable[] = [
  {
    name: 'keys',
    keys: 1,
    columns: {
      id: 'text',
      name: 'text',
      hash: 'bytes',
      tier: 'text',
      owner: 'text',
      created_at: 'bigint',
      expires_at: 'bigint',
      revoked_at: 'bigint',
      last_used_at: 'bigint',
      successor: 'text',
    },
  },
  { name: 'removals', keys: 1, columns: { passport_id: 'bigint', removed_at: 'bigint' } },
  {
    name: 'usage',
    keys: 4,
    columns: { day: 'text', key_id: 'text', endpoint: 'text', status: 'integer', count: 'bigint' },
  },
  { name: 'settings', keys: 1, columns: { name: 'text', value: 'text' } },
  { name: 'mirror_runs', keys: 1, columns: { source: 'text', run: 'integer', ended: 'integer' } },
  {
    name: 'mirrored',
    keys: 2,
    columns: {
      source: 'text',
      passport_id: 'bigint',
      passport_etag: 'text',
      credentials_etag: 'text',
      run: 'integer',
    },
  },
]

/** The setting that holds how V1 ends. */
export const RETIREMENT = 'retirement'

/** The setting in which a copy notes where it came from; it is itself not copied. */
export const COPYING = 'copying'

const keyColumns = ({ keys, columns }: PlainTable): string[] => Object.keys(columns).slice(0, keys)

/** The key as it stands in a statement: a column that is selected under its own name would be taken for it. */
export const keyOf = (table: PlainTable): string[] =>
  keyColumns(table).map((column) => `${table.name}.${column}`)

type Row = Record<string, string | number | null>

export const toRowItem = (table: PlainTable, row: Row): PartItem => ({
  key: keyColumns(table).map((column) => row[column] as string | number),
  value: row,
})

export const fromRowItem = ({ value }: PartItem): Row => value as Row

/** What a range asks of rows with this key, and the values that `$1` and the following stand for. */
export function rangeOf(key: readonly string[], { after, until }: PartRange) {
  const values: (string | number)[] = []
  const bound = (operator: string, end: PartKey) => {
    const marks = end.map((value) => `$${values.push(value)}`)
    return `(${key.join(', ')}) ${operator} (${marks.join(', ')})`
  }
  const conditions = [...(after ? [bound('>', after)] : []), ...(until ? [bound('<=', until)] : [])]
  return { condition: conditions.join(' and ') || 'true', values }
}

/** The same for all rows of a table that are copied. */
export function plainRangeOf(table: PlainTable, range: PartRange) {
  const { condition, values } = rangeOf(keyOf(table), range)
  return {
    condition: table.name === 'settings' ? `${condition} and name <> '${COPYING}'` : condition,
    values,
  }
}
