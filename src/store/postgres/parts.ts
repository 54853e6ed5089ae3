import {
  COPYING,
  fromPassportItem,
  fromRowItem,
  keyOf,
  PLAIN_TABLES,
  type PlainTable,
  plainRangeOf,
  rangeOf,
  replacePassports,
  toPassportItem,
  toRowItem,
} from '../parts.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { V1Body } from '../rows/v1.ts'
import type { Part, Store } from '../store.ts'
import { PASSPORT_COLUMNS } from './columns.ts'
import { mapCredentials, mapDataPoints } from './credentials-and-points.ts'
import type { Link } from './link.ts'
import { lockForWriting } from './locks.ts'
import { insertRows, type Query, selectable } from './query.ts'
import { createSettings } from './settings.ts'
import { bump } from './versions.ts'
import { loadWriteModel } from './write-model.ts'

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
        const { condition, values } = rangeOf(['passports.id'], { after, until })
        const rows = await query<StoredRow>(
          `select ${selectable(PASSPORT_COLUMNS)} from passports where ${condition}
           order by passports.id ${limited(limit)}`,
          values,
        )
        const ids = rows.map(({ id }) => id)
        const [wallets, credentials, shown, points] = await Promise.all([
          mapWallets(query, ids),
          mapCredentials(query, ids),
          mapShown(query, ids),
          mapDataPoints(query, ids),
        ])
        return rows.map((row) =>
          toPassportItem({
            row,
            wallets: wallets.get(row.id) ?? [],
            credentials: credentials.get(row.id) ?? [],
            shown: shown.get(row.id) ?? null,
            dataPoints: points.get(row.id) ?? [],
          }),
        )
      }, 'isolation level repeatable read read only'),
    replace: (range, items) =>
      transaction(async (query) => {
        await lockForWriting(query)
        const { condition, values } = rangeOf(['passports.id'], range)
        const there = await query<{ id: number }>(
          `select id::float8 as id from passports where ${condition}`,
          values,
        )
        const kept = items.map(fromPassportItem)
        const { model, save } = await loadWriteModel(query, {
          ids: [
            ...there.map(({ id }) => id),
            ...kept.flatMap(({ row }) => (row.merged_into === null ? row.id : [row.id, row.merged_into])),
          ],
          addresses: kept.flatMap(({ wallets }) => wallets),
          removed: [],
        })
        replacePassports(
          model,
          there.map(({ id }) => id),
          kept,
        )
        await save()
        await bump(query, 'ranking')
      }),
  }
}

async function mapShown(query: Query, passportIds: number[]): Promise<Map<number, V1Body>> {
  const rows = await query<V1Body & { id: number }>(
    'select passport_id::float8 as id, body, etag from v1_credentials where passport_id = any($1::bigint[])',
    [passportIds],
  )
  return new Map(rows.map(({ id, body, etag }) => [id, { body, etag }]))
}

async function mapWallets(query: Query, passportIds: number[]): Promise<Map<number, string[]>> {
  const rows = await query<{ id: number; addresses: string[] }>(
    `select passport_id::float8 as id, array_agg(address order by address) as addresses
     from wallets where passport_id = any($1::bigint[]) group by passport_id`,
    [passportIds],
  )
  return new Map(rows.map(({ id, addresses }) => [id, addresses]))
}

function createPlainPart({ longQuery, transaction }: Link, table: PlainTable): Part {
  const { name, columns } = table
  return {
    name,
    async list({ after, until, limit }) {
      const { condition, values } = plainRangeOf(table, { after, until })
      const rows = await longQuery<Record<string, string | number | null>>(
        `select ${selectable(columns)} from ${name} where ${condition} order by ${keyOf(table)} ${limited(limit)}`,
        values,
      )
      return rows.map((row) => toRowItem(table, row))
    },
    replace: (range, items) =>
      transaction(async (query) => {
        const { condition, values } = plainRangeOf(table, range)
        await query(`delete from ${name} where ${condition}`, values)
        await insertRows(query, name, columns, items.map(fromRowItem))
        if (name === 'keys') await bump(query, 'keys')
      }),
  }
}
