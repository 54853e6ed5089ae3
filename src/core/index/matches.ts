import { type Bits, createBits, intersectBits, uniteOthers } from '../basics/bits.ts'
import type { Condition, Filter, FilterField } from '../lists/filter.ts'
import { type GroupField, type ScoreField, wordsOf } from '../lists/list-request.ts'
import { encodeWord, filterByNames, postingsOfWord } from './names.ts'
import { findRange } from './order.ts'
import { countAlive, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import {
  addTo,
  filterList,
  fromBits,
  fromList,
  type Posting,
  slotsOf,
  subtractFrom,
  toBits,
  toPosting,
} from './posting.ts'

/** `keyword` is folded. Its words are separated as in `toWords`. */
export type Query = { keyword?: string | undefined; filter: Filter }

/** The passports that match. The result must not be changed: it can be a posting of the index. */
export function findMatches(index: PassportIndex, { keyword, filter }: Query): Posting {
  const words = keyword === undefined ? [] : wordsOf(keyword).map(encodeWord)
  const included = words.flatMap((word) => postingsOfWord(index.names, word, index.count))
  const excluded: Posting[] = []
  for (const { field, conditions } of filter) {
    const [first] = conditions
    // "Not a value" is subtracted at the end, because its own slots are fewer than all others.
    const isExcluded = conditions.length === 1 && first?.not
    if (isExcluded) excluded.push(findAny(index, field, [{ ...first, not: false }]))
    else included.push(findAny(index, field, conditions))
  }
  if (index.removed.length > 0 || included.length === 0)
    included.push(fromBits(index.alive, countAlive(index)))
  const matches = combine(index.count, included, excluded)
  return filterByNames(index.names, words, matches)
}

/** The slots that all of `included`, and none of `excluded`, have. */
export function combine(slots: number, included: Posting[], excluded: readonly Posting[] = []): Posting {
  // The shortest list first: the others only filter it.
  included.sort((one, other) => Number(!one.list) - Number(!other.list) || one.count - other.count)
  const [first, ...others] = included as [Posting, ...Posting[]]
  if (others.length + excluded.length === 0) return first
  if (!first.list) {
    const bits = copyBits(first, slots)
    for (const posting of others) intersectBits(bits, toBits(posting, slots))
    for (const posting of excluded) subtractFrom(bits, posting)
    return toPosting(bits, slots)
  }
  let list = slotsOf(first)
  const target = new Uint32Array(list.length)
  for (const posting of others) list = filterList(list, posting, 1, target)
  for (const posting of excluded) list = filterList(list, posting, 0, target)
  return fromList(list)
}

export function copyBits(posting: Posting, slots: number): Bits {
  const bits = createBits(slots)
  addTo(bits, posting)
  return bits
}

/** The slots that fulfil at least one of the conditions. */
function findAny(index: PassportIndex, field: FilterField, conditions: readonly Condition[]): Posting {
  const required = conditions.filter(({ not }) => !not).flatMap((one) => postingsOf(index, field, one))
  const negated = conditions.filter(({ not }) => not)
  const [first] = required
  if (first && required.length + negated.length === 1) return first
  const bits = createBits(index.count)
  for (const posting of required) addTo(bits, posting)
  for (const condition of negated) {
    const others = createBits(index.count)
    for (const posting of postingsOf(index, field, condition)) addTo(others, posting)
    uniteOthers(bits, others, index.count)
  }
  return toPosting(bits, index.count)
}

/** The slots that fulfil a condition, as if it were not negated. */
function postingsOf(index: PassportIndex, field: FilterField, condition: Condition): Posting[] {
  const { operator, value, type } = condition
  if (isScore(field)) return [findRange(index, field, operator, Number(value))]
  if (field !== 'points') return existing(index.values[field as GroupField].get(String(value)))
  const ofType = index.points.get(type ?? '')
  // A number is looked up: a type can have thousands of different points.
  if (operator === '=') return existing(ofType?.get(Number(value)))
  return [...(ofType ?? [])]
    .filter(([points]) => compare(points, operator, Number(value)))
    .map(([, each]) => each)
}

const existing = (posting: Posting | undefined): Posting[] => (posting ? [posting] : [])

const isScore = (field: FilterField): field is ScoreField => SCORE_FIELDS.some((score) => score === field)

function compare(points: number, operator: Condition['operator'], than: number): boolean {
  if (operator === '>') return points > than
  if (operator === '>=') return points >= than
  if (operator === '<') return points < than
  return operator === '<=' ? points <= than : points === than
}
