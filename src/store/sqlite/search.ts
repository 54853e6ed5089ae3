import type { Database } from 'bun:sqlite'
import { addMatch, createMatches, createMemory, type Matches, pageOf } from '../matches.ts'
import type { Order } from '../order.ts'
import { matchName } from './names.ts'

/** Matches read before other requests have their turn. */
const STEP = 4000

/**
 * Finds the passports whose name contains a keyword, in the order of the list. The index gives ids; their order comes
 * from the ranking in memory, so that no row is read but those of the page.
 *
 * The connection must be its own: a search in steps holds a snapshot open that other reads must not share.
 */
export function createSearch(reader: Database) {
  const listMatches = reader.query<{ rowid: number }, [string]>('select rowid from names where names match ?')
  const memory = createMemory()
  let last: Promise<unknown> = Promise.resolve()

  function* match(keyword: string, order: Order): Generator<undefined, Matches> {
    const matches = createMatches(order)
    let count = 0
    for (const { rowid } of listMatches.iterate(matchName(keyword))) {
      if (++count % STEP === 0) yield
      addMatch(matches, order, rowid)
    }
    return matches
  }

  async function finish(steps: Generator<undefined, Matches>, before: Promise<unknown>): Promise<Matches> {
    // One at a time: they share the connection.
    await before.catch(() => undefined)
    for (;;) {
      const { value, done } = steps.next()
      if (done) return value
      await new Promise(setImmediate)
    }
  }

  function search(keyword: string, order: Order): Matches | Promise<Matches> {
    const known = memory.find(keyword, order)
    if (known) return known
    const found = finish(match(keyword, order), last)
    last = found
    return found.then((matches) => memory.keep(keyword, order, matches))
  }

  return {
    /** The ids of one page, and how many match in all. */
    async page(
      keyword: string,
      order: Order,
      offset: number,
      size: number,
    ): Promise<{ ids: number[]; total: number }> {
      return pageOf(await search(keyword, order), order, offset, size)
    },
    close(): void {
      reader.close()
    },
  }
}
