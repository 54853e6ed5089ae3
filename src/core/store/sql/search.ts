import { defineData } from '../data.ts'
import { type Database, listColumn } from './connection.ts'
import { selectTexts } from './words.ts'

/** A search without a source looks into this many sources, because imported data may have any number of them. */
const MOST_SOURCES = 64

/** How many wallets are compared with a suffix. */
const MOST_COMPARED = 5000

/** A handle or wallet address and its passport, which may be merged into another one. */
type FoundName = { text: string; id: number }

/** Range scans of an index, in byte order. Each returns at most `limit` rows. Prefixes must be folded. */
export const SEARCH = defineData({ name: 'search', open: createSearch })

function createSearch({ lookup }: Database) {
  const listSources = () => listColumn<string>(lookup, LIST_SOURCES)
  /** Handles such as `github:zoe` that begin with the prefix. */
  const listHandles = async (prefix: string, limit: number) =>
    lookup<FoundName>(LIST_HANDLES, [prefix, endOf(prefix), limit])
  return {
    listHandles,
    /** Handles of any source whose name begins with the prefix: the first `limit` of each source. */
    async listNames(prefix: string, limit: number) {
      const handles = (await listSources()).map((source) => listHandles(`${source}:${prefix}`, limit))
      return (await Promise.all(handles)).flat()
    },
    /** Handles of any source whose name is one of `names`. */
    async listOwners(names: readonly string[]) {
      const sources = await listSources()
      const handles = names.flatMap((name) => sources.map((source) => `${source}:${name}`))
      return lookup<FoundName>(LIST_EQUAL, [handles])
    },
    /** Wallets with the prefix that end with `suffix`. Only the first of those with the prefix are compared. */
    listWallets: async (prefix: string, limit: number, suffix = '') =>
      lookup<FoundName>(LIST_WALLETS, [prefix, endOf(prefix), limit, suffix]),
  }
}

const selectRange = (table: string, column: string, limit: string | number) =>
  `select ${column} as text, passport_id as id from ${table}
   where ${column} >= $1 and ${column} < $2 order by ${column}, passport_id limit ${limit}`

const LIST_EQUAL = `select handle as text, passport_id as id from handles where handle in (${selectTexts('$1')})`

const LIST_HANDLES = selectRange('handles', 'handle', '$3')

const LIST_WALLETS = `select text, id from (${selectRange('wallets', 'address', MOST_COMPARED)}) as found
  where substr(text, length(text) - length(cast($4 as text)) + 1) = cast($4 as text) limit $3`

/** The end of the range of texts with a prefix, in byte order: U+10FFFF is the highest character. */
const endOf = (prefix: string): string => `${prefix}\u{10ffff}`

/** The text before the first colon: `ltrim` removes all characters except colons, up to the first colon. */
const SOURCE = `substr(handle, 1, length(handle) - length(ltrim(handle, replace(handle, ':', ''))))`

/** The sources of all handles, with one index lookup per source. In ASCII, the semicolon follows the colon. */
const LIST_SOURCES = `with recursive sources (source, number) as (
  select (select ${SOURCE} from handles order by handle limit 1), 1
  union all
  select (select ${SOURCE} from handles where handle >= source || ';' order by handle limit 1), number + 1
  from sources where source is not null and number < ${MOST_SOURCES}
) select source from sources where source is not null`
