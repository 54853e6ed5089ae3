import { createBits, intersectBits, uniteOthers } from '../basics/bits.ts'
import type { Condition, Filter, FilterField, Operator } from '../lists/filter.ts'
import { type GroupField, wordsOf } from '../lists/list-request.ts'
import { encodeWord, filterByNames, postingsOfWord } from './names.ts'
import { findRange } from './order.ts'
import { countAlive, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import {
  addTo,
  copyBits,
  filterList,
  fromBits,
  fromList,
  type Posting,
  slotsOf,
  toBits,
  toPosting,
} from './posting.ts'

/** `keyword` is folded. Its words are separated as in `toWords`. */
export type Query = { keyword?: string | undefined; filter: Filter }

/** The passports that match. The result must not be changed: it can be a posting of the index. */
export function findMatches(index: PassportIndex, { keyword, filter }: Query): Posting {
  const words = keyword === undefined ? [] : wordsOf(keyword).map(encodeWord)
  const included = words.flatMap((word) => postingsOfWord(index.names, word, index.count))
  for (const { field, conditions } of filter) included.push(findAny(index, field, conditions))
  if (index.removed.length > 0 || included.length === 0)
    included.push(fromBits(index.alive, countAlive(index)))
  return filterByNames(index.names, words, combine(index.count, included))
}

/** The slots that all of these have. */
export function combine(slots: number, postings: Posting[]): Posting {
  // The shortest list first: the others only filter it.
  postings.sort((one, other) => Number(!one.list) - Number(!other.list) || one.count - other.count)
  const [first, ...others] = postings as [Posting, ...Posting[]]
  if (others.length === 0) return first
  if (!first.list) {
    const bits = copyBits(first, slots)
    for (const posting of others) intersectBits(bits, toBits(posting, slots))
    return toPosting(bits, slots)
  }
  let list = slotsOf(first)
  const target = new Uint32Array(list.length)
  for (const posting of others) list = filterList(list, toBits(posting, slots), target)
  return fromList(list)
}

/** The slots that fulfil at least one of the conditions. */
function findAny(index: PassportIndex, field: FilterField, conditions: readonly Condition[]): Posting {
  const bits = createBits(index.count)
  for (const condition of conditions) {
    const postings = postingsOf(index, field, condition)
    const [first] = postings
    if (first && !condition.not && conditions.length + postings.length === 2) return first
    const found = condition.not ? createBits(index.count) : bits
    for (const posting of postings) addTo(found, posting)
    if (condition.not) uniteOthers(bits, found, index.count)
  }
  return toPosting(bits, index.count)
}

/** The slots that fulfil a condition, as if it were not negated. */
function postingsOf(index: PassportIndex, field: FilterField, condition: Condition): Posting[] {
  const { operator, value, type = '' } = condition
  const score = SCORE_FIELDS.find((each) => each === field)
  if (score) return [findRange(index, score, operator, Number(value))]
  if (field !== 'points') return [index.values[field as GroupField].get(String(value)) ?? []].flat()
  const byPoints = [...(index.points.get(type) ?? [])]
  return byPoints.flatMap(([points, posting]) => (compare(points, operator, Number(value)) ? posting : []))
}

const compare = (points: number, operator: Operator, than: number): boolean =>
  points === than ? operator.includes('=') : operator[0] === (points > than ? '>' : '<')
