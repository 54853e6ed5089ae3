import { addMatch, createMatches, createMemory, type Matches, pageOf, shareSearches } from '../matches.ts'
import type { Order } from '../order.ts'
import { readIds } from './ids.ts'
import type { Query } from './query.ts'

/** Matches placed before other requests have their turn. */
const STEP = 20_000

/** Trigrams are made of runs of letters and digits; which others count depends on the database's locale. */
const HAS_TRIGRAM = /[a-z0-9]{3}/

/** Letters that so many names have that looking at every name is quicker than the index. */
const COMMON = /^[ aeioulnrstdmhcbgp]+$/

/**
 * Finds the passports whose name contains a keyword, in the order of the list. The index gives ids; their order comes
 * from the ranking in memory, so that no row is read but those of the page.
 */
export function createSearch(read: Query) {
  const memory = createMemory()
  const share = shareSearches()

  async function find(keyword: string, order: Order): Promise<Matches> {
    const { text, values } = matchName(keyword)
    const [row] = await read<{ ids: Buffer | null }>(text, values)
    const matches = createMatches(order)
    const ids = await readIds(row?.ids)
    for (let at = 0; at < ids.length; at++) {
      if (at > 0 && at % STEP === 0) await new Promise(setImmediate)
      addMatch(matches, order, ids[at] as number)
    }
    return memory.keep(keyword, order, matches)
  }

  return {
    async page(keyword: string, order: Order, offset: number, size: number) {
      // PostgreSQL's text cannot hold it, so no name does.
      if (keyword.includes('\0')) return { ids: [], total: 0 }
      const matches = memory.find(keyword, order) ?? (await share(keyword, order, () => find(keyword, order)))
      return pageOf(matches, order, offset, size)
    },
  }
}

/** The statement that gives the ids of all names that contain the folded keyword. */
export function matchName(keyword: string): { text: string; values: unknown[] } {
  const pattern = `%${keyword.replace(/[\\%_]/g, '\\$&')}%`
  const select = `select string_agg(int8send(passport_id), ''::bytea) as ids from names where name like $1`
  if (HAS_TRIGRAM.test(keyword) || COMMON.test(keyword)) return { text: select, values: [pattern] }
  return {
    text: `${select} and string_to_array(name, null) @> $2::text[]`,
    values: [pattern, [...new Set(keyword)]],
  }
}
