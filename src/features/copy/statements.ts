import { type Base, defineData } from '../../core/store/data.ts'
import { type Database, listColumn } from '../../core/store/sql/connection.ts'
import { COPYING } from '../../core/store/sql/settings.ts'
import { listTables, type Table } from '../../core/store/sql/tables.ts'
import { selectIds } from '../../core/store/sql/words.ts'
import { upsertRows } from '../../core/store/write/load-and-save-write-model.ts'
import { restartEventLog } from '../../core/store/write/write-events.ts'
import type { CopyableTable, CopyItem, CopyKey, CopyRange } from './copyable-table.ts'

/** Bytes are hexadecimal text, as in the JSON of PostgreSQL. */
type Row = Record<string, string | number | null>

/** The tables with rows of passports. Rows are written in this order. */
const PASSPORT_TABLES = [
  { name: 'passports', id: 'id', order: 'id' },
  { name: 'wallets', id: 'passport_id', order: 'passport_id, address' },
  { name: 'credentials', id: 'passport_id', order: 'passport_id' },
  { name: 'data_points', id: 'passport_id', order: 'passport_id, type, account' },
  { name: 'handles', id: 'passport_id', order: 'passport_id, handle' },
  { name: 'v1_passports', id: 'passport_id', order: 'passport_id' },
  { name: 'facets', id: 'passport_id', order: 'passport_id' },
] as const

/** Tables that a copy begins again: its event log is another one. */
const LOCAL_TABLES = ['events', 'event_log', 'log_secrets', 'leases', 'proofs']

export const COPY = defineData({
  name: 'copy',
  open: ({ database }: Base) => ({
    /** All stored data, as the database has it: first the passports, then every other table. */
    async listTables(): Promise<CopyableTable[]> {
      const others = new Set([...LOCAL_TABLES, ...PASSPORT_TABLES.map(({ name }) => name)])
      const plain = (await listTables(database.read)).filter(
        ({ name, key }) => key.length > 0 && !others.has(name),
      )
      return [createPassportTables(database), ...plain.map((table) => createPlainTable(database, table))]
    },
  }),
})

const limitTo = (limit: number | undefined) => (limit === undefined ? '' : `limit ${limit}`)

function createPassportTables({ transaction, snapshot }: Database): CopyableTable {
  return {
    name: 'passports',
    list: ({ limit, ...range }) =>
      snapshot(async ({ query, selectRows }) => {
        const { condition, values } = rangeOf(['id'], range)
        const ids = await listColumn<number>(
          query,
          `select cast(id as double precision) as id from passports where ${condition}
           order by passports.id ${limitTo(limit)}`,
          values,
        )
        const tables: Row[][] = []
        for (const { name, id, order } of PASSPORT_TABLES) {
          const rest = `where ${id} in (${selectIds('$1')}) order by ${order}`
          tables.push(await selectRows<Row>(name, rest, [ids]))
        }
        return toPassportItems(tables)
      }),
    replace: (range, items) =>
      transaction(async (tx) => {
        const { condition, values } = rangeOf(['passport_id'], range)
        for (const { name, id } of PASSPORT_TABLES.toReversed()) {
          await tx.query(`delete from ${name} where ${condition.replaceAll('passport_id', id)}`, values)
        }
        for (const [at, { name }] of PASSPORT_TABLES.entries()) {
          const rows = items.flatMap(({ value }) => (value as Row[][])[at] ?? [])
          // In the target, the wallet can belong to a passport outside the range.
          if (name === 'wallets') await upsertRows(tx, name, 'address', rows)
          else await tx.insertRows(name, rows)
        }
        await tx.query(`delete from log_secrets where ${condition}`, values)
        const secrets = items.map(({ key: [passport_id] }) => ({ passport_id }))
        await tx.insertRows('log_secrets', secrets)
        await restartEventLog(tx, Date.now())
      }, 'records'),
  }
}

function createPlainTable({ long, transaction }: Database, { name, key }: Table): CopyableTable {
  const conditionOf = (range: CopyRange) => {
    const { condition, values } = rangeOf(key, range)
    // The setting that marks a copy is not copied.
    return { condition: name === 'settings' ? `${condition} and name <> '${COPYING}'` : condition, values }
  }
  return {
    name,
    async list({ limit, ...range }) {
      const { condition, values } = conditionOf(range)
      const rest = `where ${condition} order by ${key} ${limitTo(limit)}`
      const rows = await long.selectRows<Row>(name, rest, values)
      return rows.map((row) => ({ key: key.map((column) => row[column] as string | number), value: row }))
    },
    replace: (range, items) =>
      transaction(async (tx) => {
        const { condition, values } = conditionOf(range)
        await tx.query(`delete from ${name} where ${condition}`, values)
        await tx.insertRows(
          name,
          items.map(({ value }) => value as Row),
        )
      }),
  }
}

/** One item per passport. `tables` has the rows of each table, in the order of `PASSPORT_TABLES`. */
function toPassportItems(tables: readonly Row[][]): CopyItem[] {
  const groups = tables.map((rows, at) => Map.groupBy(rows, (row) => row[PASSPORT_TABLES[at]?.id ?? '']))
  return (tables[0] ?? []).map(({ id }) => ({
    key: [id as number],
    value: groups.map((group) => group.get(id as number) ?? []),
  }))
}

/** The SQL condition for a range, and the values of its parameters. */
function rangeOf(key: readonly string[], { after, until }: CopyRange) {
  const values: (string | number)[] = []
  const bound = (operator: string, end: CopyKey) => {
    const marks = end.map((value) => `$${values.push(value)}`)
    return `(${key.join(', ')}) ${operator} (${marks.join(', ')})`
  }
  const conditions = [...(after ? [bound('>', after)] : []), ...(until ? [bound('<=', until)] : [])]
  return { condition: conditions.join(' and ') || 'true', values }
}
