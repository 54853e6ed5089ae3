import type { Order } from './order.ts'
import { createRecent } from './recent.ts'
import type { IsGone } from './store.ts'

/** Searches whose matches are remembered, so that walking their pages does not repeat them. */
const REMEMBERED = 64

/** The ranks of the passports that match, in a bit each. */
export type Matches = { bits: Uint32Array; total: number }

export function createMatches({ ids }: Order): Matches {
  return { bits: new Uint32Array(Math.ceil(ids.length / 32)), total: 0 }
}

/** An id that is not in the order does not count. */
export function addMatch(matches: Matches, { rankOf }: Order, id: number): void {
  const rank = rankOf(id)
  if (rank === undefined) return
  matches.bits[rank >>> 5] = (matches.bits[rank >>> 5] as number) | (1 << (rank & 31))
  matches.total++
}

/** The ids of one page, and how many match in all. */
export function pageOf({ bits, total }: Matches, { ids }: Order, offset: number, size: number) {
  const ranks = offset < total ? ranksFrom(bits, offset, size) : []
  return { ids: ranks.map((rank) => ids[rank] as number), total }
}

/** The last searches, each in the order it was made for. */
export function createMemory() {
  const recent = createRecent<{ order: Order; matches: Matches }>(REMEMBERED)

  function keep(keyword: string, order: Order, matches: Matches): Matches {
    recent.keep(keyword, { order, matches })
    return matches
  }

  return {
    keep,
    find(keyword: string, order: Order): Matches | undefined {
      const known = recent.find(keyword)
      return known?.order === order ? keep(keyword, order, known.matches) : undefined
    },
  }
}

/** The same search for several at once is one, which goes on until all of them are gone. */
export function shareSearches() {
  const searching = new Map<string, { order: Order; callers: IsGone[]; found: Promise<Matches> }>()

  return (
    keyword: string,
    order: Order,
    search: (areGone: IsGone) => Promise<Matches>,
    isGone: IsGone = () => false,
  ): Promise<Matches> => {
    const other = searching.get(keyword)
    if (other?.order === order) {
      other.callers.push(isGone)
      return other.found
    }
    const callers = [isGone]
    const forget = () => {
      if (searching.get(keyword)?.callers === callers) searching.delete(keyword)
    }
    const areGone = () => {
      const isLeft = callers.every((each) => each())
      // It ends with that: whoever comes now must not be told that it was left.
      if (isLeft) forget()
      return isLeft
    }
    const found = search(areGone).finally(forget)
    searching.set(keyword, { order, callers, found })
    return found
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
