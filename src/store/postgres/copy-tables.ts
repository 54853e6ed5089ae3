import type { CopyTable } from '../copy-table.ts'
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
import type { Pool } from './connection/health-checked-pool.ts'
import { lockForWriting } from './connection/locks.ts'
import { insertRows, selectRows, upsertRows } from './connection/query.ts'
import { restartEventLog } from './events.ts'
import { incrementVersion } from './versions.ts'

export function createCopyTables(pool: Pool): CopyTable[] {
  return [createPassportTables(pool), ...PLAIN_TABLES.map((table) => createPlainTable(pool, table))]
}

function createPassportTables({ transaction }: Pool): CopyTable {
  return {
    name: 'passports',
    list: ({ limit = null, ...range }) =>
      transaction(async (query) => {
        const { condition, values } = rangeOf(['id'], range)
        const ids = await query<{ id: number }>(
          `select id::float8 as id from passports where ${condition} order by passports.id limit ${limit}`,
          values,
        )
        const tables: Row[][] = []
        for (const { name, id, order } of PASSPORT_TABLES) {
          const rest = `where ${id} = any($1::bigint[]) order by ${order}`
          tables.push(await selectRows<Row>(query, name, rest, [ids.map((row) => row.id)]))
        }
        return toPassportItems(tables)
      }, 'isolation level repeatable read read only'),
    replace: (range, items) =>
      transaction(async (query) => {
        await lockForWriting(query)
        const { condition, values } = rangeOf(['passport_id'], range)
        await query(
          `insert into unlisted (passport_id) select passport_id from v1_passports where ${condition}
           on conflict (passport_id) do update set version = excluded.version`,
          values,
        )
        for (const { name, id } of PASSPORT_TABLES) {
          await query(`delete from ${name} where ${condition.replaceAll('passport_id', id)}`, values)
        }
        const tables = fromPassportItems(items)
        for (const [at, { name }] of PASSPORT_TABLES.entries()) {
          // A wallet may belong to a passport outside the range.
          if (name === 'wallets') await upsertRows(query, name, 'address', tables[at] ?? [])
          else await insertRows(query, name, tables[at] ?? [])
        }
        await restartEventLog(query, Date.now())
        await incrementVersion(query, 'ranking')
      }),
  }
}

function createPlainTable({ longQuery, transaction }: Pool, table: PlainTable): CopyTable {
  const { name, key } = table
  return {
    name,
    async list({ limit = null, ...range }) {
      const { condition, values } = plainRangeOf(table, range)
      const rest = `where ${condition} order by ${key} limit ${limit}`
      return (await selectRows<Row>(longQuery, name, rest, values)).map((row) => toRowItem(table, row))
    },
    replace: (range, items) =>
      transaction(async (query) => {
        const { condition, values } = plainRangeOf(table, range)
        await query(`delete from ${name} where ${condition}`, values)
        await insertRows(query, name, items.map(fromRowItem))
        if (name === 'keys') await incrementVersion(query, 'keys')
      }),
  }
}
