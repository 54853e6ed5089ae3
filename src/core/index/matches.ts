import type { Condition, Filter, FilterField } from '../lists/filter.ts'
import { type GroupField, type ScoreField, wordsOf } from '../lists/list-request.ts'
import { countBits, createBits, intersectBits, listBits, uniteOthers, wordsFor } from './bits.ts'
import { createNameTest, encodeWord, postingsOfWord } from './names.ts'
import { findRange } from './order.ts'
import { countAlive, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import {
  addTo,
  filterList,
  fromBits,
  fromList,
  isRare,
  type Posting,
  slotsOf,
  subtractFrom,
  toBits,
  toPosting,
} from './posting.ts'

/** `keyword` is folded. Its words are separated as in `toWords`. */
export type Query = { keyword?: string | undefined; filter: Filter }

/** The sets of slots whose combination is the result. */
type Parts = {
  included: Posting[]
  excluded: Posting[]
  /** Tests what postings cannot answer. */
  test: ((slot: number) => boolean) | undefined
}

/** The passports that match. The result must not be changed: it can be a posting of the index. */
export function findMatches(index: PassportIndex, { keyword, filter }: Query): Posting {
  const words = keyword === undefined ? [] : wordsOf(keyword).map(encodeWord)
  const parts: Parts = {
    included: words.flatMap((word) => postingsOfWord(index.names, word, index.count)),
    excluded: [],
    test: createNameTest(index.names, words),
  }
  for (const { field, conditions } of filter) addTerm(index, parts, field, conditions)
  const { included } = parts
  if (index.removed.length > 0 || included.length === 0)
    included.push(fromBits(index.alive, countAlive(index)))
  // The shortest list first: the others only filter it.
  included.sort((one, other) => Number(!one.list) - Number(!other.list) || one.count - other.count)
  return included[0]?.list ? combineLists(parts, included[0].list) : combineBits(index, parts)
}

/** "Not a value" is subtracted at the end, because its own slots are fewer than all others. */
function addTerm(
  index: PassportIndex,
  { included, excluded }: Parts,
  field: FilterField,
  conditions: readonly Condition[],
): void {
  const [first] = conditions
  if (conditions.length === 1 && first?.not) excluded.push(unite(index, postingsOf(index, field, first)))
  else included.push(findAny(index, field, conditions))
}

/** The slots that fulfil at least one of the conditions. */
function findAny(index: PassportIndex, field: FilterField, conditions: readonly Condition[]): Posting {
  const required = conditions.filter(({ not }) => !not).flatMap((one) => postingsOf(index, field, one))
  const negated = conditions.filter(({ not }) => not)
  if (negated.length === 0) return unite(index, required)
  const bits = createBits(index.count)
  for (const posting of required) addTo(bits, posting)
  for (const condition of negated) {
    const others = createBits(index.count)
    for (const posting of postingsOf(index, field, condition)) addTo(others, posting)
    uniteOthers(bits, others, index.count)
  }
  return fromBits(bits)
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

function unite(index: PassportIndex, postings: readonly Posting[]): Posting {
  if (postings.length === 1) return postings[0] as Posting
  const total = postings.reduce((sum, { count }) => sum + count, 0)
  if (isRare(total, index.count)) return fromList(mergeLists(postings, total))
  const bits = createBits(index.count)
  for (const posting of postings) addTo(bits, posting)
  return fromBits(bits)
}

/** Rare postings can have bits only while an index is small. */
function mergeLists(postings: readonly Posting[], total: number): Uint32Array {
  const merged = new Uint32Array(total)
  let length = 0
  for (const posting of postings) {
    merged.set(
      posting.list ? slotsOf(posting.list, posting) : listBits(posting.bits as Int32Array, posting.count),
      length,
    )
    length += posting.count
  }
  merged.sort()
  let kept = 0
  for (let at = 0; at < total; at++)
    if (at === 0 || merged[at] !== merged[at - 1]) merged[kept++] = merged[at] as number
  return merged.subarray(0, kept)
}

/** The first of `included` has the list `first`. */
function combineLists({ included, excluded, test }: Parts, first: Uint32Array): Posting {
  const [shortest, ...others] = included as [Posting, ...Posting[]]
  let list = slotsOf(first, shortest)
  const target = new Uint32Array(list.length)
  for (const posting of others) list = filterList(list, posting, 1, target)
  for (const posting of excluded) list = filterList(list, posting, 0, target)
  return fromList(test ? filterSlots(list, test) : list)
}

function combineBits(index: PassportIndex, { included, excluded, test }: Parts): Posting {
  const [smallest, ...others] = included as [Posting, ...Posting[]]
  if (others.length + excluded.length === 0 && !test) return smallest
  const bits = createBits(index.count)
  bits.set(toBits(smallest, index.count).subarray(0, wordsFor(index.count)))
  for (const posting of others) intersectBits(bits, toBits(posting, index.count))
  for (const posting of excluded) subtractFrom(bits, posting)
  if (!test) return toPosting(bits, index.count)
  return fromList(filterSlots(listBits(bits, countBits(bits)), test))
}

/** `filter` of the runtime takes twice as long. */
function filterSlots(slots: Uint32Array, test: (slot: number) => boolean): Uint32Array {
  const kept = new Uint32Array(slots.length)
  let length = 0
  for (let at = 0; at < slots.length; at++) {
    const slot = slots[at] as number
    if (test(slot)) kept[length++] = slot
  }
  return kept.subarray(0, length)
}
