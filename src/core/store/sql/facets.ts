import { FACETS } from '../rows/listing.ts'
import type { ListingStore, StoredFacets } from '../store.ts'
import type { Connection } from './connection.ts'
import { selectIds } from './words.ts'

export const createFacetsReader = ({ query }: Connection): Pick<ListingStore, 'listFacets'> => ({
  async listFacets(ids) {
    if (ids.length === 0) return []
    return query<StoredFacets>(
      `select cast(passport_id as double precision) as id, ${FACETS} as data from listing
       where passport_id in (${selectIds('$1')})`,
      [ids],
    )
  },
})
