import type { Database } from 'bun:sqlite'
import { matchName } from './names.ts'
import type { Order } from './ranking.ts'

/** Matches read before other requests have their turn. */
const STEP = 4000

/** Searches whose matches are remembered, so that walking their pages does not repeat them. */
const REMEMBERED = 64

/** The ranks of the passports that match, in a bit each. */
type Matches = { bits: Uint32Array; total: number }

/**
 * Finds the passports whose name contains a keyword, in the order of the list. The index gives ids; their order comes
 * from the ranking in memory, so that no row is read but those of the page.
 *
 * The connection must be its own: a search in steps holds a snapshot open that other reads must not share.
 */
export function createSearch(reader: Database) {
  const listMatches = reader.query<{ rowid: number }, [string]>('select rowid from names where names match ?')
  const remembered = new Map<string, { order: Order; matches: Matches }>()
  let last: Promise<unknown> = Promise.resolve()

  function* match(keyword: string, { ids, rankOf }: Order): Generator<undefined, Matches> {
    const bits = new Uint32Array(Math.ceil(ids.length / 32))
    let total = 0
    let count = 0
    for (const { rowid } of listMatches.iterate(matchName(keyword))) {
      if (++count % STEP === 0) yield
      const rank = rankOf(rowid)
      if (rank === undefined) continue
      bits[rank >>> 5] = (bits[rank >>> 5] as number) | (1 << (rank & 31))
      total++
    }
    return { bits, total }
  }

  function remember(keyword: string, order: Order, matches: Matches): Matches {
    remembered.delete(keyword)
    remembered.set(keyword, { order, matches })
    const [oldest] = remembered.keys()
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest)
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
    const known = remembered.get(keyword)
    if (known?.order === order) return remember(keyword, order, known.matches)
    const found = finish(match(keyword, order), last)
    last = found
    return found.then((matches) => remember(keyword, order, matches))
  }

  return {
    /** The ids of one page, and how many match in all. */
    async page(
      keyword: string,
      order: Order,
      offset: number,
      size: number,
    ): Promise<{ ids: number[]; total: number }> {
      const { bits, total } = await search(keyword, order)
      return {
        ids: offset < total ? ranksFrom(bits, offset, size).map((rank) => order.ids[rank] as number) : [],
        total,
      }
    },
    close(): void {
      reader.close()
    },
  }
}

/** The next `size` ranks after the first `offset` ones. */
function ranksFrom(bits: Uint32Array, offset: number, size: number): number[] {
  const ranks: number[] = []
  let skip = offset
  for (let at = 0; at < bits.length && ranks.length < size; at++) {
    let word = bits[at] as number
    const count = countBits(word)
    if (skip >= count) {
      skip -= count
      continue
    }
    for (; word !== 0 && ranks.length < size; word &= word - 1) {
      if (skip-- > 0) continue
      ranks.push(at * 32 + 31 - Math.clz32(word & -word))
    }
    skip = 0
  }
  return ranks
}

function countBits(word: number): number {
  let pairs = word - ((word >>> 1) & 0x55555555)
  pairs = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((pairs + (pairs >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
