import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import { type FullPassportRow, type PassportRow, toFullPassport, toPassport } from '../rows/passport.ts'
import type { ListRequest, Store } from '../store.ts'
import { LISTED_COLUMNS } from './columns.ts'
import { type Query, selectable } from './query.ts'
import type { createRanking } from './ranking.ts'
import type { createSearch } from './search.ts'

type Parts = {
  read: Query
  ranking: ReturnType<typeof createRanking>
  search: ReturnType<typeof createSearch>
}

const LISTED = selectable(LISTED_COLUMNS)

/** One row, with what only the single-passport answer shows. */
export const FIND = `select ${LISTED}, socials, merged_into::float8 as merged_into,
  exists (select 1 from passports as other where other.merged_into = passports.id)::integer as merged
  from passports where`

export const LIST = `select ${LISTED} from passports where id = any($1::bigint[]) and merged_into is null
  order by passports.score desc, passports.id`

export function createPassportReader({ read, ranking, search }: Parts) {
  const findRow = async (ref: PassportRef) => {
    const [row] =
      'id' in ref
        ? await read<FullPassportRow>(`${FIND} id = $1`, [ref.id])
        : await read<FullPassportRow>(`${FIND} id = (select passport_id from wallets where address = $1)`, [
            ref.wallet,
          ])
    return row
  }
  const fetch = async (ids: ArrayLike<number>) => {
    if (ids.length === 0) return []
    return (await read<PassportRow>(LIST, [Array.from(ids)])).map(toPassport)
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

    async list({ page, size, keyword }: ListRequest) {
      const offset = (page - 1) * size
      const order = await ranking.current()
      if (keyword !== undefined) {
        const { ids, total } = await search.page(keyword, order, offset, size)
        return { items: await fetch(ids), total }
      }
      return { items: await fetch(order.ids.subarray(offset, offset + size)), total: order.ids.length }
    },

    edition: () => undefined,
    standing: async (score: number) => (await ranking.current()).standingOf(score),
  } satisfies Partial<Store['passports']>
}
