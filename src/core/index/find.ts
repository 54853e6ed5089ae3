import type { ScoreField } from '../lists/list-request.ts'
import { countGroups, type GroupRequest, type ValueGroups } from './groups.ts'
import { findMatches, type Query } from './matches.ts'
import { countAbove, firstAsBits, orderOf } from './order.ts'
import { type CutPage, cutPage, groupByPoints, type PageRequest } from './page.ts'
import { countAlive, type PassportIndex } from './passport-index.ts'
import { countIn, type Posting } from './posting.ts'

/** `ranks`: values of the sort field whose ranks are wanted, in addition to those of the page. May be empty. */
export type ListRequest = Query &
  PageRequest & { groups?: readonly GroupRequest[] | undefined; ranks?: readonly number[] | undefined }

export type ListPage = Omit<CutPage, 'values'> & {
  total: number
  /** The groups of each request, in the same order. */
  groups?: ValueGroups[] | undefined
  ranking?: Ranking | undefined
}

/** Ranks among the passports that match the filter, with or without the keyword. Equal values have equal ranks. */
export type Ranking = {
  /** How many passports are ranked. */
  among: number
  /** The rank of each passport of the page. */
  ofPage: number[]
  /** The rank of each value of the request. */
  ofValues: number[]
}

/** Evaluates a list without a pause, so that all its parts are of the same state. */
export function findList(index: PassportIndex, request: ListRequest): ListPage {
  const { groups, ranks } = request
  const matches = findMatches(index, request)
  const { values, ...page } = cutPage(index, matches, request)
  return {
    ...page,
    total: matches.count,
    groups: groups?.map((group) => countGroups(index, matches, group)),
    ranking: ranks && rank(index, request, matches, values, ranks),
  }
}

/** A list that is sorted by id has no ranks. */
function rank(
  index: PassportIndex,
  { keyword, filter, sort }: ListRequest,
  matches: Posting,
  ofPage: readonly number[],
  ofValues: readonly number[],
): Ranking | undefined {
  const { field, pointsFor } = sort
  if (field === 'passport_id') return undefined
  const ranked = keyword === undefined ? matches : findMatches(index, { filter })
  const holders = pointsFor === undefined ? [] : groupByPoints(index, ranked, pointsFor)
  const countAmong = (value: number) =>
    pointsFor === undefined
      ? countAboveAmong(index, field, value, ranked)
      : holders.reduce((sum, { points, posting }) => (points > value ? sum + posting.count : sum), 0)
  // Many passports of a page have the same value.
  const known = new Map<number, number>()
  const rankOf = (value: number) => known.getOrInsertComputed(value, () => 1 + countAmong(value))
  return { among: ranked.count, ofPage: ofPage.map(rankOf), ofValues: ofValues.map(rankOf) }
}

function countAboveAmong(index: PassportIndex, field: ScoreField, value: number, ranked: Posting): number {
  const above = countAbove(index, field, value)
  const isAll = ranked.count === countAlive(index)
  return isAll ? above : countIn(firstAsBits(index, orderOf(index, field), above), ranked)
}
