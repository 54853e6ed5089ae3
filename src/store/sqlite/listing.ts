import type { Database } from 'bun:sqlite'
import type { Page } from '../../domain/page.ts'
import type { Passport } from '../../domain/passport.ts'
import { LISTED, type PassportRow, toPassport } from '../rows/passport.ts'
import type { Awaitable, ListRequest } from '../store.ts'
import type { createRanking } from './ranking.ts'
import type { createSearch } from './search.ts'
import type { View } from './view.ts'

type Parts = {
  reader: Database
  view: View
  ranking: ReturnType<typeof createRanking>
  search: ReturnType<typeof createSearch>
}

export function createListing({ reader, view, ranking, search }: Parts) {
  const listByIds = reader.query<PassportRow, [string]>(
    `select ${LISTED} from passports where id in (select value from json_each(?)) and merged_into is null`,
  )

  return {
    /** A page, in the order that is known; what it shows of the passports is read by `fetch`. */
    page<T>(
      { page, size, keyword, isGone }: ListRequest,
      fetch: (ids: readonly number[]) => T[],
    ): Awaitable<Page<T>> {
      const offset = (page - 1) * size
      const order = ranking.current()
      if (keyword !== undefined) {
        return search
          .page(keyword, order, offset, size, isGone)
          .then(({ ids, total }) => ({ items: fetch(ids), total }))
      }
      const ids = Array.from(order.ids.subarray(offset, offset + size))
      return { items: fetch(ids), total: order.ids.length }
    },

    /** In the order of what is read. Those that were merged or removed meanwhile are left out. */
    fetchPassports(ids: readonly number[]): Passport[] {
      view.look()
      const rows = listByIds.all(`[${ids}]`)
      // SQLite would copy the rows to sort them.
      return rows.sort((one, other) => other.score - one.score || one.id - other.id).map(toPassport)
    },
  }
}

export type Listing = ReturnType<typeof createListing>
