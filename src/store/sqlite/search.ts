import type { Database } from 'bun:sqlite'
import { ClientGone } from '../../domain/errors.ts'
import { foldName } from '../../domain/name.ts'
import { addMatch, createMatches, createMemory, type Matches, pageOf, shareSearches } from '../matches.ts'
import { indexNames, type NameIndex } from '../name-index/name-index.ts'
import type { Order } from '../order.ts'
import type { IsGone } from '../store.ts'
import type { Steps, Turns } from '../turns.ts'
import { matchName } from './names.ts'
import { REST, type Text } from './ranking.ts'

type Match = { id: number; name?: string }

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
  const listMatches = reader.query<Match, [string]>('select rowid as id from names where names match ?')
  const listCandidates = reader.query<Match, [string]>(
    'select id, display_name as name from names cross join passports on id = names.rowid where names match ?',
  )
  const memory = createMemory()
  const share = shareSearches()
  let last: Promise<unknown> = Promise.resolve()
  let index: NameIndex | undefined
  let isIndexing = false
  let notBefore = 0
  let fails = false
  let isClosed = false

  function* match(keyword: string, order: Order): Steps<Matches> {
    const matches = createMatches(order)
    const { query, isExact } = matchName(keyword)
    for (const { id, name } of (isExact ? listMatches : listCandidates).iterate(query)) {
      if (name === undefined || foldName(name).includes(keyword)) addMatch(matches, order, id)
      yield
    }
    return matches
  }

  async function search(keyword: string, order: Order, isGone: IsGone): Promise<Matches> {
    // One at a time: they share the connection.
    const found = last.catch(() => undefined).then(() => turns.run(match(keyword, order), isGone))
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
      isGone?: IsGone,
    ): Promise<{ ids: number[]; total: number }> {
      if (order.ids.length <= small) replace(undefined)
      if (index) {
        try {
          return await turns.run(index.page(keyword, offset, size), isGone)
        } catch (error) {
          if (isClosed || error instanceof ClientGone) throw error
          giveUp(error)
        }
      }
      const matches =
        memory.find(keyword, order) ??
        (await share(keyword, order, (areGone) => search(keyword, order, areGone), isGone))
      return pageOf(matches, order, offset, size)
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
