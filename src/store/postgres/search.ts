import type { FoundName, SearchStore } from '../search-store.ts'
import type { Prepare } from '../sql/connection.ts'
import { createSearchReader, endOf, selectRange, selectSources } from '../sql/search.ts'
import { DIALECT } from './connection/database.ts'

export const LIST_NAMES = `with recursive ${selectSources((handle) => `split_part(${handle}, ':', 1)`)}
  select found.* from sources, lateral (
    ${selectRange('handles', 'handle', { from: "source || ':' || $1::text", to: "source || ':' || $2::text", limit: '$3' })}
  ) as found where source is not null`

export const createSearch = (prepare: Prepare): SearchStore =>
  createSearchReader(prepare, DIALECT, () => {
    const listNames = prepare<FoundName>(LIST_NAMES)
    return (prefix, limit) => listNames(prefix, endOf(prefix), limit)
  })
