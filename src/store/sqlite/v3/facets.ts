import type { Database } from 'bun:sqlite'
import { FACETS_COLUMNS, FACETS_TABLES, type FacetsRow, toFacets } from '../../rows/facets.ts'
import type { Store } from '../../store.ts'

export function createFacetsReader(reader: Database): Store['facets'] {
  const list = reader.query<FacetsRow, [string]>(
    `select id, ${FACETS_COLUMNS} from ${FACETS_TABLES} where id in (select value from json_each(?))`,
  )
  return { list: (ids) => list.all(`[${ids}]`).map(toFacets) }
}
