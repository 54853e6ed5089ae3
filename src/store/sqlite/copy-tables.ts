import type { Database } from 'bun:sqlite'
import type { CopyItem, CopyRange, CopyTable } from '../copy-table.ts'
import {
  fromPassportItems,
  fromRowItem,
  PASSPORT_TABLES,
  PLAIN_TABLES,
  type PlainTable,
  plainRangeOf,
  type Row,
  rangeOf,
  toPassportItems,
  toRowItem,
} from '../sql/copy-tables.ts'
import { incrementRankingVersion, NEXT_VERSION, prepareUpsert } from './connection/statements.ts'
import { restartEventLog } from './events.ts'

type Connections = { reader: Database; writer: Database }

export function createCopyTables(connections: Connections): CopyTable[] {
  return [
    createPassportTables(connections),
    ...PLAIN_TABLES.map((table) => createPlainTable(connections, table)),
  ]
}

function createPassportTables({ reader, writer }: Connections): CopyTable {
  const list = reader.transaction(({ limit = -1, ...range }: Parameters<CopyTable['list']>[0]) => {
    const { condition, values } = rangeOf(['id'], range)
    const ids = `select id from passports where ${condition} order by id limit ${limit}`
    const tables = PASSPORT_TABLES.map(({ name, id, order }) =>
      listRows(reader, `select * from ${name} where ${id} in (${ids}) order by ${order}`, values),
    )
    return toPassportItems(tables)
  })

  const replace = writer.transaction((range: CopyRange, items: readonly CopyItem[]) => {
    const { condition, values } = rangeOf(['passport_id'], range)
    const write = (sql: string) => writer.query(sql).run(...values)
    write(
      `insert or replace into unlisted select passport_id, ${NEXT_VERSION} from v1_passports where ${condition}`,
    )
    for (const { name, id } of PASSPORT_TABLES.toReversed()) {
      write(`delete from ${name} where ${condition.replaceAll('passport_id', id)}`)
    }
    const tables = fromPassportItems(items)
    for (const [at, { name }] of PASSPORT_TABLES.entries()) insertRows(writer, name, tables[at] ?? [])
    restartEventLog(writer, Date.now())
    incrementRankingVersion(writer)
  })

  return { name: 'passports', list, replace: (range, items) => replace.immediate(range, items) }
}

function createPlainTable({ reader, writer }: Connections, table: PlainTable): CopyTable {
  const { name, key } = table
  const replace = writer.transaction((range: CopyRange, items: readonly CopyItem[]) => {
    const { condition, values } = plainRangeOf(table, range)
    writer.query(`delete from ${name} where ${condition}`).run(...values)
    insertRows(writer, name, items.map(fromRowItem))
  })

  return {
    name,
    list({ limit = -1, ...range }) {
      const { condition, values } = plainRangeOf(table, range)
      const sql = `select * from ${name} where ${condition} order by ${key} limit ${limit}`
      return listRows(reader, sql, values).map((row) => toRowItem(table, row))
    },
    replace: (range, items) => replace.immediate(range, items),
  }
}

function listRows(reader: Database, sql: string, values: (string | number)[]): Row[] {
  const rows = reader.query<Row & { hash?: Uint8Array }, (string | number)[]>(sql).all(...values)
  return rows.map((row) => (row.hash ? { ...row, hash: `\\x${row.hash.toHex()}` } : row))
}

function insertRows(writer: Database, table: string, rows: readonly Row[]): void {
  const put = prepareUpsert(writer, table)
  for (const row of rows) {
    put.run(typeof row.hash === 'string' ? { ...row, hash: Uint8Array.fromHex(row.hash.slice(2)) } : row)
  }
}
