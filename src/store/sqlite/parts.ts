import type { Database } from 'bun:sqlite'
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
import { STORED, type StoredRow } from '../rows/passport.ts'
import type { V1Body } from '../rows/v1.ts'
import type { Part, PartItem, PartRange, Store } from '../store.ts'
import { trackChanges } from '../v1-renderer.ts'
import { createCredentialReader } from './credentials.ts'
import { createDataPointReader } from './data-points.ts'
import { createSettings } from './settings.ts'
import { createWriteModel } from './write-model.ts'

type Connections = { reader: Database; writer: Database }

export function createParts(connections: Connections): Part[] {
  return [
    createPassportPart(connections),
    ...PLAIN_TABLES.map((table) => createPlainPart(connections, table)),
  ]
}

export function createCopying({ writer }: Connections): Store['copying'] {
  const settings = createSettings(writer)
  return {
    find: () => settings.get(COPYING),
    note: (text) => settings.set(COPYING, text),
  }
}

function createPassportPart({ reader, writer }: Connections): Part {
  const credentials = createCredentialReader(reader)
  const dataPoints = createDataPointReader(reader)
  const model = createWriteModel(writer)
  const findShown = reader.query<V1Body, [number]>(
    'select body, etag from v1_credentials where passport_id = ?',
  )
  const listWallets = reader.query<{ address: string }, [number]>(
    'select address from wallets where passport_id = ? order by address',
  )
  const countChange = writer.query('update ranking set version = version + 1')

  const list = reader.transaction(({ after, until, limit = -1 }: Parameters<Part['list']>[0]) => {
    const { condition, values } = rangeOf(['id'], { after, until })
    const rows = reader
      .query<StoredRow, (string | number)[]>(
        `select ${STORED} from passports where ${condition} order by id limit ${limit}`,
      )
      .all(...values)
    return rows.map((row) =>
      toPassportItem({
        row,
        wallets: listWallets.all(row.id).map(({ address }) => address),
        credentials: credentials.listAll(row.id),
        shown: findShown.get(row.id),
        dataPoints: dataPoints.list(row.id),
      }),
    )
  })

  const replace = writer.transaction((range: PartRange, items: readonly PartItem[]) => {
    const { condition, values } = rangeOf(['id'], range)
    const there = writer
      .query<{ id: number }, (string | number)[]>(`select id from passports where ${condition}`)
      .all(...values)
    replacePassports(
      trackChanges(model),
      there.map(({ id }) => id),
      items.map(fromPassportItem),
    )
    countChange.run()
  })

  return { name: 'passports', list, replace: (range, items) => replace.immediate(range, items) }
}

/** Bytes travel as hexadecimal text. */
function createPlainPart({ reader, writer }: Connections, table: PlainTable): Part {
  const { name, columns } = table
  const selected = Object.entries(columns).map(([column, type]) =>
    type === 'bytes' ? `lower(hex(${column})) as ${column}` : column,
  )
  const given = Object.values(columns).map((type) => (type === 'bytes' ? 'unhex(?)' : '?'))

  const replace = writer.transaction((range: PartRange, items: readonly PartItem[]) => {
    const { condition, values } = plainRangeOf(table, range)
    writer.query(`delete from ${name} where ${condition}`).run(...values)
    const insert = writer.query(`insert into ${name} (${Object.keys(columns)}) values (${given})`)
    for (const item of items) {
      const row = fromRowItem(item)
      insert.run(...Object.keys(columns).map((column) => row[column] ?? null))
    }
  })

  return {
    name,
    list({ after, until, limit = -1 }) {
      const { condition, values } = plainRangeOf(table, { after, until })
      return reader
        .query<Record<string, string | number | null>, (string | number)[]>(
          `select ${selected} from ${name} where ${condition} order by ${keyOf(table)} limit ${limit}`,
        )
        .all(...values)
        .map((row) => toRowItem(table, row))
    },
    replace: (range, items) => replace.immediate(range, items),
  }
}
