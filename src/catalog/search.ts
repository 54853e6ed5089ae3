import type { Snapshot } from './snapshot.ts'

/** Memory for the results of earlier searches. */
const MOST_BYTES = 16_000_000

/** Searches, and keeps recent results so that walking their pages does not repeat the search. */
export function createSearcher() {
  const results = new Map<string, Uint32Array>()
  let searched: Snapshot | undefined
  let kept = 0

  function keep(keyword: string, ranks: Uint32Array): void {
    results.set(keyword, ranks)
    kept += sizeOf(keyword, ranks)
    for (const [oldest, old] of results) {
      if (kept <= MOST_BYTES) break
      results.delete(oldest)
      kept -= sizeOf(oldest, old)
    }
  }

  /** The ids of one page of the matches, and how many there are. */
  return (snapshot: Snapshot, keyword: string, offset: number, size: number) => {
    if (snapshot !== searched) {
      results.clear()
      kept = 0
      searched = snapshot
    }
    let ranks = results.get(keyword)
    if (ranks) {
      // The most recent one is last.
      results.delete(keyword)
      results.set(keyword, ranks)
    } else {
      ranks = searchNames(snapshot, keyword)
      keep(keyword, ranks)
    }
    const page = ranks.subarray(offset, offset + size)
    return { ids: Array.from(page, (rank) => snapshot.ids[rank] as number), total: ranks.length }
  }
}

/** An entry takes memory even if nothing matches. */
const sizeOf = (keyword: string, { byteLength }: Uint32Array) => byteLength + 2 * keyword.length + 200

/** The ranks of all passports whose folded name contains the folded keyword. */
export function searchNames({ names, starts }: Snapshot, keyword: string): Uint32Array {
  const text = Buffer.from(names.buffer)
  const wanted = Buffer.from(keyword)
  let ranks = new Uint32Array(1024)
  let count = 0
  let rank = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at)) {
    rank = rankAt(starts, at, rank)
    if (count === ranks.length) {
      const larger = new Uint32Array(count * 2)
      larger.set(ranks)
      ranks = larger
    }
    ranks[count++] = rank
    // The search continues with the next name.
    at = starts[rank + 1] as number
  }
  return ranks.slice(0, count)
}

/** The rank of the name at a position; it is `from` or a later one. */
function rankAt(starts: Uint32Array, position: number, from: number): number {
  let low = from
  let step = 1
  // The next match is mostly near: the step grows until it is passed.
  while (low + step < starts.length && (starts[low + step] as number) <= position) {
    low += step
    step *= 2
  }
  let high = Math.min(low + step, starts.length - 1)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((starts[middle] as number) <= position) low = middle
    else high = middle
  }
  return low
}
