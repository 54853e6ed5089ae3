import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import type { Order } from '../order.ts'
import { type FullPassportRow, LISTED, toFullPassport } from '../rows/passport.ts'
import type { ListRequest, Store } from '../store.ts'
import type { Listing } from './listing.ts'
import type { createRanking } from './ranking.ts'
import type { View } from './view.ts'

type Connections = {
  reader: Database
  view: View
  ranking: ReturnType<typeof createRanking>
  listing: Listing
}

/** One passport, with whether others were merged into it. */
export const FULL_PASSPORT = `select ${LISTED}, socials, merged_into,
    exists (select 1 from passports as other where other.merged_into = passports.id) as merged
  from passports where id = ?`

/** What the pages of the list rest on: all that other connections wrote, and the order. */
type Edition = { version: number | undefined; order: Order; look: number }

export function createPassportReader({ reader, view, ranking, listing }: Connections) {
  const findById = reader.query<FullPassportRow, [number]>(FULL_PASSPORT)
  const findOwner = reader.query<{ passport_id: number }, [string]>(
    'select passport_id from wallets where address = ?',
  )
  const findVersion = reader.query<{ data_version: number }, []>('pragma data_version')
  let edition: Edition | undefined

  return {
    edition() {
      const order = ranking.current()
      const look = view.look()
      if (edition?.look === look && edition.order === order) return edition
      const version = findVersion.get()?.data_version
      if (edition?.version === version && edition?.order === order) edition.look = look
      else edition = { version, order, look }
      return edition
    },

    find(ref: PassportRef) {
      view.look()
      let id = 'id' in ref ? ref.id : findOwner.get(ref.wallet)?.passport_id
      // A passport may be merged into one that was merged itself.
      for (let hops = 0; id !== undefined && hops < LONGEST_CHAIN; hops++) {
        const row = findById.get(id)
        if (row === null) return undefined
        if (row.merged_into === null) return toFullPassport(row)
        id = row.merged_into
      }
      return undefined
    },

    list: (request: ListRequest) => listing.page(request, listing.fetchPassports),

    standing: (score: number) => ranking.current().standingOf(score),
  } satisfies Partial<Store['passports']>
}
