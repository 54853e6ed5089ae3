import { FACETS } from '../rows/facets.ts'
import type { ListingStore, StoredFacets } from '../store.ts'
import type { Connection } from './connection.ts'

export const createFacetsReader = ({ query, dialect }: Connection): Pick<ListingStore, 'listFacets'> => ({
  async listFacets(ids) {
    if (ids.length === 0) return []
    return query<StoredFacets>(
      `select cast(passport_id as double precision) as id, ${FACETS} as data from facets where ${dialect.isIn('passport_id', '$1')}`,
      [ids],
    )
  },
})
