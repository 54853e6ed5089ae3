import type { FoundName, SearchStore } from '../search-store.ts'
import type { Prepare } from '../sql/connection.ts'
import { createSearchReader, selectSources } from '../sql/search.ts'
import { DIALECT } from './connection/database.ts'

const LIST_SOURCES = `with recursive ${selectSources((handle) => `substr(${handle}, 1, instr(${handle}, ':') - 1)`)}
  select source from sources where source is not null`

/** SQLite has no lateral joins: the handles of each source are one statement. */
export const createSearch = (prepare: Prepare): SearchStore =>
  createSearchReader(prepare, DIALECT, (listHandles) => {
    const listSources = prepare<{ source: string }>(LIST_SOURCES)
    return async (prefix, limit) => {
      const found: FoundName[] = []
      for (const { source } of await listSources())
        found.push(...(await listHandles(`${source}:${prefix}`, limit)))
      return found
    }
  })
