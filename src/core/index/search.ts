import { createByteCache } from '../basics/byte-cache.ts'
import { wordsOf } from '../lists/list-request.ts'
import { countWhile, grow, type Snapshot } from './snapshot.ts'

const MOST_BYTES = 16_000_000

/** `ranks` has the ranks of the passports that match the keyword. It is `undefined` without a keyword. */
export type Matches = { snapshot: Snapshot; ranks?: Uint32Array<SharedArrayBuffer> | undefined }

/** Keyword search with an LRU cache, so that all pages of a keyword need one search. */
export function createSearcher() {
  const results = createByteCache<Uint32Array<SharedArrayBuffer>>(MOST_BYTES)
  let searched: Snapshot | undefined

  return (snapshot: Snapshot, keyword: string): Matches => {
    if (snapshot !== searched) {
      results.clear()
      searched = snapshot
    }
    const ranks = results.getOrAdd(keyword, () => {
      const value = searchNames(snapshot, keyword)
      return { value, bytes: value.byteLength }
    })
    return { snapshot, ranks }
  }
}

/** Folded names, as in a snapshot. */
export type Names = { names: Uint8Array; starts: Uint32Array }

/** The ranks of all passports whose folded name contains the words of the folded keyword. */
export function searchNames({ names, starts }: Names, keyword: string): Uint32Array<SharedArrayBuffer> {
  const text = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  const [wanted, ...others] = wordsOf(keyword).map((word) => Buffer.from(word)) as [Buffer, ...Buffer[]]
  let ranks = new Uint32Array(1024)
  let count = 0
  let rank = 0
  // An empty keyword matches at every position, even after the last name.
  const end = starts.at(-1) as number
  for (let at = text.indexOf(wanted); at !== -1 && at < end; at = text.indexOf(wanted, at)) {
    rank = rankAt(starts, at, rank)
    at = starts[rank + 1] as number
    const name = others.length === 0 ? text : text.subarray(starts[rank], at)
    if (!others.every((other) => name.includes(other))) continue
    if (count === ranks.length) ranks = grow(ranks, 2 * count)
    ranks[count++] = rank
  }
  const found = new Uint32Array(new SharedArrayBuffer(count * Uint32Array.BYTES_PER_ELEMENT))
  found.set(ranks.subarray(0, count))
  return found
}

/** The rank of the passport whose name contains this byte position. It is not below `from`. */
function rankAt(starts: Uint32Array, position: number, from: number): number {
  let low = from
  let step = 1
  // Exponential search: the next match is usually near.
  while (low + step < starts.length && (starts[low + step] as number) <= position) {
    low += step
    step *= 2
  }
  const next = low + 1
  const high = Math.min(low + step, starts.length - 1)
  return low + countWhile(high - next, (at) => (starts[next + at] as number) <= position)
}
