import type { Database } from 'bun:sqlite'
import { addMatch, createMatches, createMemory, type Matches, pageOf } from '../matches.ts'
import { indexNames, type NameIndex } from '../name-index/name-index.ts'
import type { NameText } from '../name-index/text.ts'
import type { Order } from '../order.ts'
import type { Steps, Turns } from '../turns.ts'
import { matchName } from './names.ts'
import { REST } from './ranking.ts'

/** Matches read before a pause. */
const STEP = 250

/**
 * Finds the passports whose name contains a keyword, in the order of the list: in the index in memory where there is one, and
 * otherwise in the one of the database, which gives ids; their order then comes from the ranking.
 *
 * The connection must be its own: a search in steps holds a snapshot open that other reads must not share.
 */
export function createSearch(reader: Database, { turns, small }: { turns: Turns; small: number }) {
  const listMatches = reader.query<{ rowid: number }, [string]>('select rowid from names where names match ?')
  const memory = createMemory()
  let last: Promise<unknown> = Promise.resolve()
  let index: NameIndex | undefined
  let isIndexing = false
  let notBefore = 0

  function* match(keyword: string, order: Order): Steps<Matches> {
    const matches = createMatches(order)
    let count = 0
    for (const { rowid } of listMatches.iterate(matchName(keyword))) {
      if (++count % STEP === 0) yield
      addMatch(matches, order, rowid)
    }
    return matches
  }

  async function search(keyword: string, order: Order): Promise<Matches> {
    const known = memory.find(keyword, order)
    if (known) return known
    // One at a time: they share the connection.
    const found = last.catch(() => undefined).then(() => turns.run(match(keyword, order)))
    last = found
    return memory.keep(keyword, order, await found)
  }

  async function take(order: Order, text: NameText): Promise<void> {
    isIndexing = true
    const begin = performance.now()
    try {
      index = await turns.run(indexNames(order, text, index))
    } finally {
      isIndexing = false
      notBefore = performance.now() + (performance.now() - begin) * REST
    }
  }

  return {
    /** The ids of one page, and how many match in all. */
    async page(
      keyword: string,
      order: Order,
      offset: number,
      size: number,
    ): Promise<{ ids: number[]; total: number }> {
      if (order.ids.length <= small) index = undefined
      if (index) return turns.run(index.page(keyword, offset, size))
      return pageOf(await search(keyword, order), order, offset, size)
    },
    /** Makes the index in memory; where there is one already, that one serves until the new one is ready. */
    names: {
      isDue: (order: Order) =>
        order.ids.length > small && index?.order !== order && !isIndexing && performance.now() >= notBefore,
      take: (order: Order, text: NameText) => void take(order, text).catch(() => undefined),
    },
    close(): void {
      reader.close()
    },
  }
}
