import { createBits, hasBit, intersectBits, subtractBits, uniteOthers } from '../basics/bits.ts'
import { countWhile, insertSorted } from '../basics/sorted.ts'
import type { Condition, Filter, FilterField, Operator } from '../lists/filter.ts'
import type { GroupField, Position, ScoreField, Sort, SortField } from '../lists/list-request.ts'
import { keywordParts } from '../lists/list-request.ts'
import { encodeWord, filterByNames, postingsOfWord } from './names.ts'
import { countAbove, createComparison, findRange, findSlot, firstAsBits, orderOf } from './order.ts'
import { countAlive, NO_VALUE, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import {
  addTo,
  copyBits,
  countIn,
  filterList,
  fromBits,
  fromList,
  includes,
  type Posting,
  slotsOf,
  toBits,
  toPosting,
} from './posting.ts'

/** `keyword` is folded. Its words are separated as in `toWords`. */
export type Query = { keyword?: string | undefined; filter: Filter }

export type ListRequest = Query & {
  sort: Sort
  /** A page begins after a position, or after a number of passports: with `after`, the offset is ignored. */
  after?: Position | undefined
  offset?: number | undefined
  limit: number
  groups?: readonly GroupRequest[] | undefined
  /** Ids of passports whose ranks are wanted, in addition to those of the page. May be empty. */
  ranks?: readonly number[] | undefined
}

export type ListPage = ReturnType<typeof findList>

/** Evaluates a list without a pause, so that all its parts are of the same state. */
export function findList(index: PassportIndex, request: ListRequest) {
  const matches = findMatches(index, request)
  const { values, ...page } = cutPage(index, matches, request)
  return {
    ...page,
    total: matches.count,
    /** Of each request, in the same order. */
    groups: request.groups?.map((group) => countGroups(index, matches, group)),
    ranking: request.ranks && rank(index, request, matches, values),
  }
}

/**
 * Ranks among the passports that match the filter, with or without the keyword: of those of the page, and of the ids of
 * the request, which may not match. Equal values have equal ranks. A list that is sorted by id has no ranks.
 */
function rank(index: PassportIndex, request: ListRequest, matches: Posting, ofPage: readonly number[]) {
  const { keyword, filter, sort, ranks = [] } = request
  const { field, pointsFor } = sort
  if (field === 'passport_id') return undefined
  const ranked = keyword === undefined ? matches : findMatches(index, { filter })
  const holders = pointsFor !== undefined && groupByPoints(index, ranked, pointsFor)
  const countAmong = (value: number) =>
    holders
      ? holders.reduce((sum, { points, posting }) => (points > value ? sum + posting.count : sum), 0)
      : countAboveAmong(index, field, value, ranked)
  // Many passports of a page have the same value.
  const ranksOf = new Map<number, number>()
  const rankOf = (value: number) => ranksOf.getOrInsertComputed(value, () => 1 + countAmong(value))
  const findValue = (id: number) =>
    pointsFor === undefined
      ? (index.scores[field][findSlot(index, id) ?? -1] ?? 0)
      : topPoints(index, id, pointsFor)
  const ofIds = ranks.map((id) => rankOf(findValue(id)))
  return { among: ranked.count, ofPage: ofPage.map(rankOf), ofIds }
}

function countAboveAmong(index: PassportIndex, field: ScoreField, value: number, ranked: Posting): number {
  const above = countAbove(index, field, value)
  const isAll = ranked.count === countAlive(index)
  return isAll ? above : countIn(firstAsBits(index, orderOf(index, field), above), ranked)
}

/** With a prefix, only the folded values that begin with it are counted. */
export type GroupRequest = { field: GroupField; prefix?: string | undefined }

/** `value` is null for the passports without one. `label` is the value as it was first written. */
export type ValueGroup = { field: GroupField; value: string | null; label: string | null; count: number }

const MOST_GROUPS = 100

/**
 * Counts the matches with each value. Larger groups come first, and equal ones in the order of their values. `more`
 * groups are left out.
 */
export function countGroups(index: PassportIndex, matches: Posting, { field, prefix }: GroupRequest) {
  const bits = toBits(matches, index.count)
  const groups: ValueGroup[] = []
  let all = 0
  for (const [text, posting] of matches.count === 0 ? [] : index.values[field]) {
    if (prefix !== undefined && (text === NO_VALUE || !text.startsWith(prefix))) continue
    const size = countIn(bits, posting)
    if (size === 0) continue
    all++
    const value = text === NO_VALUE ? null : text
    const label = value && (posting.label ?? value)
    insertSorted(groups, { field, value, label, count: size }, isLarger, MOST_GROUPS)
  }
  return { groups, more: all - groups.length }
}

const isLarger = (a: ValueGroup, b: ValueGroup): boolean =>
  a.count > b.count || (a.count === b.count && String(a.value) < String(b.value))

/** The matches with the same points. In a list by another field, all of them are one group without points. */
type Group = { points?: number; posting: Posting }

/** A part of a group. An ascending list of scores is the exact reverse of a descending one. */
type Slice = { field: SortField; isReversed: boolean; after?: Position; offset: number; most: number }

/** Cuts a page out of the matches. In a list by points, the groups follow each other, each sorted by score. */
function cutPage(index: PassportIndex, matches: Posting, request: ListRequest) {
  const { sort, after, offset = 0, limit } = request
  const { field, descending, pointsFor } = sort
  // The order of ids begins with the lowest.
  const isReversed = (field === 'passport_id') === descending
  const groups: Group[] =
    pointsFor === undefined ? [{ posting: matches }] : groupByPoints(index, matches, pointsFor)
  const values = field === 'passport_id' ? index.ids : index.scores[field]
  const selection: { slot: number; value: number }[] = []
  let skipped = after ? 0 : offset
  // One more than the page has tells whether there is another page.
  for (const { points, posting } of isReversed ? groups.reverse() : groups) {
    const begin = after && points !== undefined ? positionIn(points, after, descending) : after
    if (begin === 'past') continue
    const most = limit + 1 - selection.length
    const slice = { field, isReversed, ...(begin && { after: begin }), offset: skipped, most }
    for (const slot of takeSlots(index, posting, slice))
      selection.push({ slot, value: points ?? (values[slot] as number) })
    skipped = Math.max(0, skipped - posting.count)
    if (selection.length > limit) break
  }
  const page = selection.slice(0, limit)
  const last = selection.length > limit ? page.at(-1) : undefined
  return {
    ids: page.map(({ slot }) => index.ids[slot] as number),
    /** The values by which the list is sorted. */
    values: page.map(({ value }) => value),
    /** The position of the last passport; `undefined` on the last page. */
    next: last && {
      value: last.value,
      id: index.ids[last.slot] as number,
      ...(pointsFor !== undefined && { score: index.scores.score[last.slot] as number }),
    },
  }
}

/** The position by score in the group with these points. */
function positionIn(points: number, { value, id, score = 0 }: Position, descending: boolean) {
  if (points === value) return { value: score, id }
  return points > value === descending ? 'past' : undefined
}

/** Sorting a few slots takes less time than a walk through the order of all passports. */
const FEW = 1000

function takeSlots(index: PassportIndex, matches: Posting, slice: Slice): number[] {
  const { field, isReversed, after, offset, most } = slice
  const { compare, compareWith } = createComparison(index, field)
  const isFew = matches.count <= FEW
  const slots = isFew ? slotsOf(matches).toSorted(compare) : orderOf(index, field).slots
  const bits = isFew ? undefined : toBits(matches, index.count)
  const isBefore = (slot: number, position: Position) => {
    const order = compareWith(slot, position)
    return order < 0 || (order === 0 && !isReversed)
  }
  let place = isReversed ? slots.length : 0
  if (after) place = countWhile(slots.length, (at) => isBefore(slots[at] as number, after))
  const selection: number[] = []
  // If all slots match, those before the page need not be counted.
  let skipped = slots.length === matches.count ? offset : 0
  const step = isReversed ? -1 : 1
  const begin = (isReversed ? place - 1 : place) + step * skipped
  for (let at = begin; at >= 0 && at < slots.length; at += step) {
    const slot = slots[at] as number
    if (bits && hasBit(bits, slot) === 0) continue
    if (skipped++ >= offset) selection.push(slot)
    if (selection.length === most) break
  }
  return selection
}

/**
 * Divides the matches by the points of their best credential of a type, the most points first. Those without one have 0
 * points.
 */
function groupByPoints({ count, points }: PassportIndex, matches: Posting, type: string) {
  const left = copyBits(matches, count)
  const groups: { points: number; posting: Posting }[] = []
  for (const [number, holders] of sortByPoints(points.get(type))) {
    const posting = combine(count, [holders, fromBits(left, 0)])
    subtractBits(left, toBits(posting, count))
    groups.push({ points: number, posting })
  }
  groups.push({ points: 0, posting: toPosting(left, count) })
  return groups.filter(({ posting }) => posting.count > 0)
}

const sortByPoints = (points: ReadonlyMap<number, Posting> = new Map()) =>
  [...points].sort(([a], [b]) => b - a)

/** The points of a passport for its best credential of a type; 0 if it has none, or if there is no such passport. */
export function topPoints(index: PassportIndex, id: number, type: string): number {
  const slot = findSlot(index, id)
  const holders = slot === undefined ? [] : sortByPoints(index.points.get(type))
  return holders.find(([, posting]) => includes(posting, slot as number))?.[0] ?? 0
}

/** The passports that match. The result must not be changed: it can be a posting of the index. */
export function findMatches(index: PassportIndex, { keyword, filter }: Query): Posting {
  const words = keyword === undefined ? [] : keywordParts(keyword).map(encodeWord)
  const included = words.flatMap((word) => postingsOfWord(index.names, word, index.count))
  for (const { field, conditions } of filter) included.push(findAny(index, field, conditions))
  if (index.removed.length > 0 || included.length === 0)
    included.push(fromBits(index.alive, countAlive(index)))
  return filterByNames(index.names, words, combine(index.count, included))
}

/** The slots that all of these have. */
function combine(slots: number, postings: Posting[]): Posting {
  // The shortest list first: the others only filter it.
  postings.sort((a, b) => Number(!a.list) - Number(!b.list) || a.count - b.count)
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
    const matches = condition.not ? createBits(index.count) : bits
    for (const posting of postings) addTo(matches, posting)
    if (condition.not) uniteOthers(bits, matches, index.count)
  }
  return toPosting(bits, index.count)
}

/** The slots that fulfil a condition, as if it were not negated. */
function postingsOf(index: PassportIndex, field: FilterField, condition: Condition): Posting[] {
  const { operator, value, type = '' } = condition
  const score = SCORE_FIELDS.find((name) => name === field)
  if (score) return [findRange(index, score, operator, Number(value))]
  if (field !== 'points') return [index.values[field as GroupField].get(String(value)) ?? []].flat()
  const byPoints = [...(index.points.get(type) ?? [])]
  return byPoints.flatMap(([points, posting]) => (isMatch(points, operator, Number(value)) ? posting : []))
}

const isMatch = (points: number, operator: Operator, than: number): boolean =>
  points === than ? operator.includes('=') : operator[0] === (points > than ? '>' : '<')
