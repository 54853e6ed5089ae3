import type { PassportRef } from '../../domain/passport.ts'
import { type StoredRow, toFullPassport, toPassport } from '../rows/passport.ts'
import { refKind, refValue, SURVIVOR_ID } from '../sql/passport-id.ts'
import type { Store } from '../store.ts'
import { type Query, selectRows } from './connection/query.ts'

export function createPassportReader(read: Query) {
  return {
    async find(ref: PassportRef) {
      const found = await findRow(read, ref)
      return found && toFullPassport(found.row, found.merged)
    },

    async count() {
      const [row] = await read<{ count: number }>('select count(*)::float8 as count from passports')
      return row?.count ?? 0
    },

    async listMerged(id: number) {
      const rows = await read<{ id: number }>(
        'select id::float8 as id from passports where merged_into = $1 order by passports.id',
        [id],
      )
      return rows.map((row) => row.id)
    },

    async listByIds(ids: readonly number[]) {
      if (ids.length === 0) return []
      const rows = await selectRows<StoredRow>(
        read,
        'passports',
        'where id = any($1::bigint[]) and merged_into is null order by score desc, id',
        [ids],
      )
      return rows.map(toPassport)
    },
  } satisfies Partial<Store['passports']>
}

/** Finds the row of a passport, or of its survivor, with further columns of the same moment. */
export async function findRow<More = object>(
  query: Query,
  ref: PassportRef,
  columns: readonly string[] = [],
) {
  const selected = [
    'to_json(passports) as row',
    'exists (select 1 from passports as other where other.merged_into = passports.id) as merged',
    ...columns,
  ]
  const [found] = await query<{ row: StoredRow; merged: boolean } & More>(
    `select ${selected} from passports where id = ${SURVIVOR_ID[refKind(ref)]} and merged_into is null`,
    [refValue(ref)],
  )
  return found
}
