import { FACETS_COLUMNS, FACETS_TABLES, type FacetsRow, toFacets } from '../../rows/facets.ts'
import type { Store } from '../../store.ts'
import type { Query } from '../connection/query.ts'

export const createFacetsReader = (read: Query): Store['facets'] => ({
  async list(ids) {
    if (ids.length === 0) return []
    const rows = await read<FacetsRow>(
      `select id::float8 as id, ${FACETS_COLUMNS} from ${FACETS_TABLES} where id = any($1::bigint[])`,
      [ids],
    )
    return rows.map(toFacets)
  },
})
