import { FACETS } from '../rows/listing.ts'
import type { ListingRow, ListingStore, StoredFacets } from '../store.ts'
import type { Connection } from './connection.ts'
import { selectIds } from './words.ts'

export const createFacetsReader = ({ query }: Connection): Pick<ListingStore, 'listFacets' | 'listRows'> => ({
  async listFacets(ids) {
    if (ids.length === 0) return []
    return query<StoredFacets>(
      `select cast(passport_id as double precision) as id, ${FACETS} as data from listing
       where passport_id in (${selectIds('$1')})`,
      [ids],
    )
  },
  async listRows(ids) {
    if (ids.length === 0) return []
    return query<ListingRow>(
      `select cast(passport_id as double precision) as id, score, name, facets from listing
       where passport_id in (${selectIds('$1')}) order by passport_id`,
      [ids],
    )
  },
})
