import {
  COPYING,
  fromPassportItem,
  fromRowItem,
  keyColumns,
  PLAIN_TABLES,
  type PlainTable,
  rangeOf,
  replacePassports,
  toPassportItem,
  toRowItem,
} from '../parts.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { Part, Store } from '../store.ts'
import { PASSPORT_COLUMNS } from './columns.ts'
import { mapCredentials, mapDataPoints } from './evidence.ts'
import type { Link } from './link.ts'
import { lockForWriting } from './locks.ts'
import { type Query, selectable } from './query.ts'
import { createSettings } from './settings.ts'
import { bump } from './versions.ts'
import { loadWorkingSet } from './working-set.ts'

export function createParts(link: Link): Part[] {
  return [createPassportPart(link), ...PLAIN_TABLES.map((table) => createPlainPart(link, table))]
}

export function createCopying(read: Query, write: Query): Store['copying'] {
  return {
    find: () => createSettings(read).get(COPYING),
    note: (text) => createSettings(write).set(COPYING, text),
  }
}

const limited = (limit: number | undefined) => (limit === undefined ? '' : `limit ${limit}`)

function createPassportPart({ transaction }: Link): Part {
  return {
    name: 'passports',
    list: ({ after, until, limit }) =>
      transaction(async (query) => {
        const { where, values } = rangeOf(['passports.id'], { after, until })
        const rows = await query<StoredRow>(
          `select ${selectable(PASSPORT_COLUMNS)} from passports ${where} order by passports.id ${limited(limit)}`,
          values,
        )
        const ids = rows.map(({ id }) => id)
        const [wallets, credentials, points] = await Promise.all([
          mapWallets(query, ids),
          mapCredentials(query, ids),
          mapDataPoints(query, ids),
        ])
        return rows.map((row) =>
          toPassportItem({
            row,
            wallets: wallets.get(row.id) ?? [],
            credentials: credentials.get(row.id) ?? [],
            dataPoints: points.get(row.id) ?? [],
          }),
        )
      }, 'isolation level repeatable read read only'),
    replace: (range, items) =>
      transaction(async (query) => {
        await lockForWriting(query)
        const { where, values } = rangeOf(['id'], range)
        const there = await query<{ id: number }>(`select id::float8 as id from passports ${where}`, values)
        const kept = items.map(fromPassportItem)
        const { tables, save } = await loadWorkingSet(query, {
          ids: [...there.map(({ id }) => id), ...kept.map(({ row }) => row.id)],
          addresses: kept.flatMap(({ wallets }) => wallets),
          removed: [],
        })
        replacePassports(
          tables,
          there.map(({ id }) => id),
          kept,
        )
        await save()
        await bump(query, 'ranking')
      }),
  }
}

async function mapWallets(query: Query, passportIds: number[]): Promise<Map<number, string[]>> {
  const rows = await query<{ id: number; addresses: string[] }>(
    `select passport_id::float8 as id, array_agg(address order by address) as addresses
     from wallets where passport_id = any($1::bigint[]) group by passport_id`,
    [passportIds],
  )
  return new Map(rows.map(({ id, addresses }) => [id, addresses]))
}

/** Bytes travel as hexadecimal text. */
function createPlainPart({ longQuery, transaction }: Link, table: PlainTable): Part {
  const { name, columns } = table
  const keys = keyColumns(table).map((column) => `${name}.${column}`)
  const selected = Object.entries(columns).map(([column, type]) => {
    if (type === 'bytes') return `encode(${column}, 'hex') as ${column}`
    return type === 'bigint' ? `${column}::float8 as ${column}` : column
  })
  const given = Object.entries(columns).map(([column, type]) =>
    type === 'bytes' ? `decode(${column}, 'hex')` : column,
  )
  const types = Object.entries(columns).map(
    ([column, type]) => `${column} ${type === 'bytes' ? 'text' : type}`,
  )
  const own = name === 'settings' ? `name = '${COPYING}'` : 'false'

  return {
    name,
    async list({ after, until, limit }) {
      const { where, values } = rangeOf(keys, { after, until })
      const rows = await longQuery<Record<string, string | number | null>>(
        `select ${selected} from ${name} ${where || 'where true'} and not ${own} order by ${keys} ${limited(limit)}`,
        values,
      )
      return rows.map((row) => toRowItem(table, row))
    },
    replace: (range, items) =>
      transaction(async (query) => {
        const { where, values } = rangeOf(keys, range)
        await query(`delete from ${name} ${where || 'where true'} and not ${own}`, values)
        await query(
          `insert into ${name} (${Object.keys(columns)})
           select ${given} from json_to_recordset($1::text::json) as given(${types})`,
          [JSON.stringify(items.map(fromRowItem))],
        )
        if (name === 'keys') await bump(query, 'keys')
      }),
  }
}
