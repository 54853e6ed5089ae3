import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import { type StoredRow, toFullPassport, toPassport } from '../rows/passport.ts'
import type { Store } from '../store.ts'
import { type Query, selectRows } from './query.ts'

const FIND = `select to_json(passports) as row,
  exists (select 1 from passports as other where other.merged_into = passports.id) as merged
  from passports where`

type Found = { row: StoredRow; merged: boolean }

export function createPassportReader(read: Query) {
  const findRow = async (ref: PassportRef) => {
    const [found] =
      'id' in ref
        ? await read<Found>(`${FIND} id = $1`, [ref.id])
        : await read<Found>(`${FIND} id = (select passport_id from wallets where address = $1)`, [ref.wallet])
    return found
  }

  return {
    async find(ref: PassportRef) {
      let found = await findRow(ref)
      // A passport may be merged into one that was merged itself.
      for (let hops = 0; found && found.row.merged_into !== null && hops < LONGEST_CHAIN; hops++) {
        found = await findRow({ id: found.row.merged_into })
      }
      return found?.row.merged_into === null ? toFullPassport(found.row, found.merged) : undefined
    },

    async count() {
      const [row] = await read<{ count: number }>('select count(*)::float8 as count from passports')
      return row?.count ?? 0
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
