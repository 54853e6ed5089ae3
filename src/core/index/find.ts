import type { Sort } from '../lists/list-request.ts'
import { countGroups, type GroupRequest, type ValueGroups } from './groups.ts'
import { findMatches, type Query } from './matches.ts'
import { firstAsBits, orderOf } from './order.ts'
import { type CutPage, cutPage, type PageRequest } from './page.ts'
import type { PassportIndex } from './passport-index.ts'
import { groupByPoints } from './points.ts'
import { countIn, countWhile, type Posting } from './posting.ts'

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
  if (sort.field === 'passport_id') return undefined
  const ranked = keyword === undefined ? matches : findMatches(index, { filter })
  const countAbove = createRankCounter(index, ranked, sort)
  // Many passports of a page have the same value.
  const known = new Map([...new Set([...ofPage, ...ofValues])].map((value) => [value, 1 + countAbove(value)]))
  const rankOf = (value: number) => known.get(value) as number
  return { among: ranked.count, ofPage: ofPage.map(rankOf), ofValues: ofValues.map(rankOf) }
}

/** Returns a function that counts the passports with more than a value. */
function createRankCounter(index: PassportIndex, ranked: Posting, sort: Sort): (value: number) => number {
  if (sort.pointsFor !== undefined) {
    const holders = groupByPoints(index, ranked, sort.pointsFor)
    return (value) =>
      holders.reduce((sum, { points, posting }) => (points > value ? sum + posting.count : sum), 0)
  }
  if (sort.field === 'passport_id') return () => 0
  const order = orderOf(index, sort.field)
  const values = index.scores[sort.field]
  return (value) => {
    const above = countWhile(
      order.slots.length,
      (at) => (values[order.slots[at] as number] as number) > value,
    )
    return ranked.count === order.slots.length ? above : countIn(firstAsBits(index, order, above), ranked)
  }
}
