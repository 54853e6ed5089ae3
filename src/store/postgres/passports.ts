import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import { type FullPassportRow, type PassportRow, toFullPassport, toPassport } from '../rows/passport.ts'
import type { Store } from '../store.ts'
import { LISTED_COLUMNS } from './columns.ts'
import { type Query, selectable } from './query.ts'

const LISTED = selectable(LISTED_COLUMNS)

/** One row, with what only the single-passport response shows. */
export const FIND = `select ${LISTED}, socials, merged_into::float8 as merged_into,
  exists (select 1 from passports as other where other.merged_into = passports.id)::integer as merged
  from passports where`

export function createPassportReader(read: Query) {
  const findRow = async (ref: PassportRef) => {
    const [row] =
      'id' in ref
        ? await read<FullPassportRow>(`${FIND} id = $1`, [ref.id])
        : await read<FullPassportRow>(`${FIND} id = (select passport_id from wallets where address = $1)`, [
            ref.wallet,
          ])
    return row
  }

  return {
    async find(ref: PassportRef) {
      let row = await findRow(ref)
      // A passport may be merged into one that was merged itself.
      for (let hops = 0; row && row.merged_into !== null && hops < LONGEST_CHAIN; hops++) {
        row = await findRow({ id: row.merged_into })
      }
      return row && row.merged_into === null ? toFullPassport(row) : undefined
    },

    async count() {
      const [row] = await read<{ count: number }>('select count(*)::float8 as count from passports')
      return row?.count ?? 0
    },

    async listByIds(ids: readonly number[]) {
      if (ids.length === 0) return []
      const rows = await read<PassportRow>(
        `select ${LISTED} from passports where id = any($1::bigint[]) and merged_into is null
         order by passports.score desc, passports.id`,
        [ids],
      )
      return rows.map(toPassport)
    },
  } satisfies Partial<Store['passports']>
}
