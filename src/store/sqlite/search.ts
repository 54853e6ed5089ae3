import type { Database } from 'bun:sqlite'
import { addMatch, createMatches, createMemory, type Matches, pageOf } from '../matches.ts'
import { indexNames, type NameIndex } from '../name-index/name-index.ts'
import type { Order } from '../order.ts'
import type { Steps, Turns } from '../turns.ts'
import { matchName } from './names.ts'
import { REST, type Text } from './ranking.ts'

/** Matches read before a pause. */
const STEP = 250

/** How long the names are left alone that could not be kept: the disk may have room again. */
const AFTER_FAILURE_MILLISECONDS = 60_000

type Surroundings = { turns: Turns; small: number; onNotice: (sentence: string) => void }

/**
 * Finds the passports whose name contains a keyword, in the order of the list: in the index in memory where there is one, and
 * otherwise in the one of the database, which gives ids; their order then comes from the ranking.
 *
 * The connection must be its own: a search in steps holds a snapshot open that other reads must not share.
 */
export function createSearch(reader: Database, { turns, small, onNotice }: Surroundings) {
  const listMatches = reader.query<{ rowid: number }, [string]>('select rowid from names where names match ?')
  const memory = createMemory()
  let last: Promise<unknown> = Promise.resolve()
  let index: NameIndex | undefined
  let isIndexing = false
  let notBefore = 0
  let fails = false
  let isClosed = false

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

  async function take(order: Order, text: Text): Promise<void> {
    isIndexing = true
    const begin = performance.now()
    try {
      replace(await turns.run(indexNames(order, text.end(), index)))
      notBefore = performance.now() + (performance.now() - begin) * REST
      if (fails) onNotice('Keywords are searched for in memory again.')
      fails = false
    } catch (error) {
      text.close()
      giveUp(error)
    } finally {
      isIndexing = false
    }
  }

  function replace(next: NameIndex | undefined): void {
    index?.close()
    index = next
  }

  /** The index in memory cannot be made or read: the database's own is slower, but right. */
  function giveUp(error: unknown): void {
    if (isClosed) return
    replace(undefined)
    notBefore = performance.now() + AFTER_FAILURE_MILLISECONDS
    if (!fails)
      onNotice(
        `Keywords are searched for more slowly, as names cannot be kept beside the database: ${(error as Error).message}.`,
      )
    fails = true
  }

  return {
    /** The ids of one page, and how many match in all. */
    async page(
      keyword: string,
      order: Order,
      offset: number,
      size: number,
    ): Promise<{ ids: number[]; total: number }> {
      if (order.ids.length <= small) replace(undefined)
      if (index) {
        try {
          return await turns.run(index.page(keyword, offset, size))
        } catch (error) {
          giveUp(error)
          if (isClosed) throw error
        }
      }
      return pageOf(await search(keyword, order), order, offset, size)
    },
    /** Makes the index in memory; where there is one already, that one serves until the new one is ready. */
    names: {
      isDue: (order: Order) =>
        order.ids.length > small && index?.order !== order && !isIndexing && performance.now() >= notBefore,
      take: (order: Order, text: Text) => void take(order, text),
      giveUp,
    },
    close(): void {
      isClosed = true
      replace(undefined)
      reader.close()
    },
  }
}
