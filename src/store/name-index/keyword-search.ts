import type { Steps } from '../turns.ts'
import { type Filter, GROUP } from './filter.ts'
import { countNames, findNames } from './matching.ts'
import type { Runs } from './runs.ts'
import { BLOCK, type NameText } from './text.ts'

/** What is done before a pause: so many names found, or so many bytes looked at for each of them. */
const STEP = 250
const BYTES = 1500

export type NameParts = {
  text: NameText
  filter: Filter
  runs: Runs
  /** How many blocks make a row of the filter. */
  perRow: number
}

/** What was counted for a keyword, so that walking its pages does not repeat it. */
export type Counted = {
  total: number | undefined
  /** How many match before each group, of the groups up to the last one that was counted. */
  before: number[]
}

/** The search for a page. Plain data: a generator function made for each would leave more behind than all else that it needs. */
type Search = {
  parts: NameParts
  keyword: Buffer
  /** Where it may be: those of each group. */
  rows: Uint32Array
  before: number[]
}

/** The ranks of one page, and how many match in all. */
export function* findPage(
  parts: NameParts,
  keyword: Buffer,
  counted: Counted,
  offset: number,
  size: number,
): Steps<{ ranks: number[]; total: number }> {
  const { before } = counted
  const search: Search = { parts, keyword, rows: parts.filter.rowsOf(keyword), before }
  counted.total ??= parts.runs.count(keyword)
  if (counted.total === undefined) {
    yield* count(search, Number.POSITIVE_INFINITY)
    counted.total = before[parts.filter.groups] as number
  }
  const { total } = counted
  if (offset >= total) return { ranks: [], total }
  yield* count(search, offset - size)
  let group = before.length - 1
  while ((before[group] as number) > offset) group--
  const ranks = yield* ranksFrom(search, group, offset - (before[group] as number), size)
  return { ranks, total }
}

/** Counts matches, group by group, until there are more than so many. */
function* count({ parts, keyword, rows, before }: Search, limit: number): Steps<void> {
  const { text, filter } = parts
  let work = 0
  while (before.length <= filter.groups && (before.at(-1) as number) <= limit) {
    const group = before.length - 1
    let count = before[group] as number
    for (let left = rows[group] as number; left !== 0; left &= left - 1) {
      const { first, end } = blocksOf(parts, group, left)
      for (let at = first; at < end; at++) {
        const block = text.block(at)
        const found = countNames(block, keyword)
        count += found
        work += found + block.length / BYTES
        if (work < STEP) continue
        work = 0
        yield
      }
    }
    // Another request for the same keyword may be as far.
    before[group + 1] = count
  }
}

/** The ranks of matches from the beginning of a group on, after the first `skip`. */
function* ranksFrom(
  { parts, keyword, rows, before }: Search,
  group: number,
  skip: number,
  size: number,
): Steps<number[]> {
  const ranks: number[] = []
  let toSkip = skip
  for (let at = group; at < parts.filter.groups; at++) {
    if (at + 1 < before.length && before[at] === before[at + 1]) continue
    for (let left = rows[at] as number; left !== 0; left &= left - 1) {
      const { first, end } = blocksOf(parts, at, left)
      for (let block = first; block < end; block++) {
        for (const name of findNames(parts.text.block(block), keyword)) {
          if (toSkip-- > 0) continue
          ranks.push(block * BLOCK + name)
          if (ranks.length === size) return ranks
        }
      }
    }
    yield
  }
  return ranks
}

/** The blocks of the first of these rows. */
function blocksOf({ text, perRow }: NameParts, group: number, rows: number) {
  const first = (group * GROUP + 31 - Math.clz32(rows & -rows)) * perRow
  return { first, end: Math.min(first + perRow, text.length) }
}
