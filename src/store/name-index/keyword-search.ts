import type { Steps } from '../turns.ts'
import { type Filter, GROUP } from './filter.ts'
import { countNames, findNames } from './matching.ts'
import type { Runs } from './runs.ts'
import { BLOCK, type NameText } from './text.ts'

/** Blocks looked at, and names found in them, before a pause. */
const STEP = 250

export type NameParts = {
  text: NameText
  filter: Filter
  runs: Runs
  /** How many blocks make a row of the filter. */
  perRow: number
}

/** The search for one keyword. What it has counted it knows, so that walking its pages does not repeat it. */
export function createKeywordSearch({ text, filter, runs, perRow }: NameParts, keyword: string) {
  const bytes = Buffer.from(keyword)
  const needle = bytes.toString('latin1')
  const buckets = filter.bucketsOf(bytes)
  let total = runs.count(bytes)
  /** How many match before each group, of the groups up to `counted`. */
  const before = new Uint32Array(filter.groups + 1)
  let counted = 0

  /** The blocks of a group in which the keyword may be. */
  function blocksOf(group: number): number[] {
    const blocks: number[] = []
    for (let rows = filter.rows(group, buckets); rows !== 0; rows &= rows - 1) {
      const first = (group * GROUP + 31 - Math.clz32(rows & -rows)) * perRow
      for (let at = first; at < first + perRow && at < text.length; at++) blocks.push(at)
    }
    return blocks
  }

  /** Counts matches, group by group, until `isEnough`. */
  function* count(isEnough: () => boolean): Steps<void> {
    let work = 0
    while (counted < filter.groups && !isEnough()) {
      const group = counted
      let count = before[group] as number
      for (const at of blocksOf(group)) {
        const found = countNames(text.block(at), needle)
        count += found
        work += found + 1
        if (work < STEP) continue
        work = 0
        yield
      }
      before[group + 1] = count
      // Another request for the same keyword may be as far.
      counted = Math.max(counted, group + 1)
    }
  }

  /** The ranks of matches from the beginning of a group on, after the first `skip`. */
  function* ranksFrom(group: number, skip: number, size: number): Steps<number[]> {
    const ranks: number[] = []
    let toSkip = skip
    for (let at = group; at < filter.groups; at++) {
      if (at < counted && before[at] === before[at + 1]) continue
      for (const block of blocksOf(at)) {
        for (const name of findNames(text.block(block), needle)) {
          if (toSkip-- > 0) continue
          ranks.push(block * BLOCK + name)
          if (ranks.length === size) return ranks
        }
      }
      yield
    }
    return ranks
  }

  /** The ranks of one page, and how many match in all. */
  return function* page(offset: number, size: number): Steps<{ ranks: number[]; total: number }> {
    if (total === undefined) {
      yield* count(() => false)
      total = before[filter.groups] as number
    }
    if (offset >= total) return { ranks: [], total }
    yield* count(() => (before[counted] as number) + size > offset)
    let group = counted
    while ((before[group] as number) > offset) group--
    const ranks = yield* ranksFrom(group, offset - (before[group] as number), size)
    return { ranks, total }
  }
}
