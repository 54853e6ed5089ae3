import { type Base, defineData } from '../data.ts'
import type { FoundName, SearchStore } from '../search-store.ts'
import type { Prepare } from './connection.ts'

/** A search without a source looks into this many sources, because imported data may have any number of them. */
const MOST_SOURCES = 64

/** How many wallets are compared with a suffix. */
const MOST_COMPARED = 5000

export const SEARCH = defineData({
  name: 'search',
  open: ({ prepare }: Base) => createSearch(prepare),
})

function createSearch(prepare: Prepare): SearchStore {
  const handlesInRange = prepare<FoundName>(selectRange('handles', 'handle', '$3'))
  const walletsInRange = prepare<FoundName>(LIST_WALLETS)
  const listSources = prepare<{ source: string }>(LIST_SOURCES)
  const listHandles: SearchStore['listHandles'] = async (prefix, limit) =>
    handlesInRange(prefix, endOf(prefix), limit)
  return {
    listHandles,
    async listNames(prefix, limit) {
      const sources = await listSources()
      const found = await Promise.all(sources.map(({ source }) => listHandles(`${source}:${prefix}`, limit)))
      return found.flat()
    },
    listWallets: async (prefix, limit, suffix = '') => walletsInRange(prefix, endOf(prefix), limit, suffix),
  }
}

const selectRange = (table: string, column: string, limit: string | number) =>
  `select ${column} as text, cast(passport_id as double precision) as id from ${table}
   where ${column} >= $1 and ${column} < $2 order by ${column}, passport_id limit ${limit}`

const LIST_WALLETS = `select text, id from (${selectRange('wallets', 'address', MOST_COMPARED)}) as found
  where substr(text, length(text) - length(cast($4 as text)) + 1) = cast($4 as text) limit $3`

/** The end of the range of texts with a prefix, in byte order: U+10FFFF is the highest character. */
const endOf = (prefix: string): string => `${prefix}\u{10ffff}`

/** The text before the first colon: `ltrim` removes all characters except colons, up to the first colon. */
const SOURCE = `substr(handle, 1, length(handle) - length(ltrim(handle, replace(handle, ':', ''))))`

/**
 * The sources of all handles, with one index lookup per source. Handles of a source are between `source:` and
 * `source;`, because the semicolon follows the colon in ASCII.
 */
const LIST_SOURCES = `with recursive sources (source, number) as (
  select (select ${SOURCE} from handles order by handle limit 1), 1
  union all
  select (select ${SOURCE} from handles where handle >= source || ';' order by handle limit 1), number + 1
  from sources where source is not null and number < ${MOST_SOURCES}
) select source from sources where source is not null`
