import { insertSorted } from '../basics/sorted.ts'
import type { GroupField, ScoreField } from '../lists/list-request.ts'
import { findMatches, type Query } from './matches.ts'
import { countAbove, findSlot, firstAsBits, orderOf } from './order.ts'
import { cutPage, groupByPoints, type PageRequest, pointsOf } from './page.ts'
import { countAlive, NO_VALUE, type PassportIndex } from './passport-index.ts'
import { countIn, type Posting, toBits } from './posting.ts'

/** `ranks`: ids of passports whose ranks are wanted, in addition to those of the page. May be empty. */
export type ListRequest = Query &
  PageRequest & { groups?: readonly GroupRequest[] | undefined; ranks?: readonly number[] | undefined }

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
function rank(
  index: PassportIndex,
  { keyword, filter, sort, ranks = [] }: ListRequest,
  matches: Posting,
  ofPage: readonly number[],
) {
  const { field, pointsFor } = sort
  if (field === 'passport_id') return undefined
  const ranked = keyword === undefined ? matches : findMatches(index, { filter })
  const holders = pointsFor !== undefined && groupByPoints(index, ranked, pointsFor)
  const countAmong = (value: number) =>
    holders
      ? holders.reduce((sum, { points, posting }) => (points > value ? sum + posting.count : sum), 0)
      : countAboveAmong(index, field, value, ranked)
  // Many passports of a page have the same value.
  const known = new Map<number, number>()
  const rankOf = (value: number) => known.getOrInsertComputed(value, () => 1 + countAmong(value))
  const findValue = (id: number) =>
    pointsFor === undefined
      ? (index.scores[field][findSlot(index, id) ?? -1] ?? 0)
      : pointsOf(index, id, pointsFor)
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
  for (const [text, posting] of index.values[field]) {
    if (prefix !== undefined && (text === NO_VALUE || !text.startsWith(prefix))) continue
    const size = countIn(bits, posting)
    if (size === 0) continue
    all++
    const value = text === NO_VALUE ? null : text
    const label = value && (index.labels[field].get(value) ?? value)
    insertSorted(groups, { field, value, label, count: size }, isBefore, MOST_GROUPS)
  }
  return { groups, more: all - groups.length }
}

const isBefore = (one: ValueGroup, other: ValueGroup): boolean =>
  one.count > other.count || (one.count === other.count && String(one.value) < String(other.value))
