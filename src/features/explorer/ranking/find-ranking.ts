import { foldName } from '../../../core/basics/text/fold-name.ts'
import { findList } from '../../../core/index/find-list.ts'
import { findMatches, isComplete, type Match } from '../../../core/index/find-matches.ts'
import { type FacetRequest, lastPage, wordsOf } from '../../../core/lists/list-request.ts'
import type { Passport } from '../../../core/passport/passport.ts'
import { findRule, mostPoints } from '../../../core/passport/rules/rule-set.ts'
import { partOf } from '../../../ui/charts.ts'
import { renderLevel } from '../../../ui/level-mark.ts'
import type { RankingQuery } from '../../../ui/list-address.ts'
import * as lists from '../../../ui/list-address.ts'
import type { ExplorerOptions } from '../../../ui/page.ts'
import { FIGURES, showPart } from '../../../ui/people-list.ts'

export type FoundRanking = Awaited<ReturnType<typeof findRanking>>

type Points = ReadonlyMap<number, readonly number[]>
type Reader = Pick<ExplorerOptions, 'store' | 'catalog' | 'rules'>

/**
 * Finds a page of the ranking. The first page begins with the passports whose id, wallet or handle is the search text, and
 * ends with those whose wallet or handle begins with it. A list that needs the index is evaluated only once.
 */
export async function findRanking(
  reader: Reader,
  query: RankingQuery,
  facets: readonly FacetRequest[],
  signal: AbortSignal,
) {
  const { page, typed } = query
  const { total: known, scale } = await reader.catalog.standing(0)
  const { first, extra, isMore } = await findFirst(reader, query)
  const shown = page === 1 ? first : []
  const rules = await reader.rules()
  const rule = query.sort === 'points' ? findRule(rules, lists.typesOf(query)[0] ?? '') : undefined
  const part = query.sort === 'points' ? (partOf(rule?.category ?? '') ?? 'total') : query.sort
  const scoreOf = ({ passport: { id, scores } }: Pick<Match, 'passport'>, points?: Points) =>
    (query.sort === 'points' ? points?.get(id)?.[0] : undefined) ?? scores[part]
  const [offset, size] = [(page - 1) * lists.PAGE_SIZE, typed === '' ? lists.PAGE_SIZE : MOST_SORTED]
  const list = { ...lists.toListQuery(query), limit: size, offset: offset - (offset % size), signal }
  const ranksOf = shown.map((row) => scoreOf(row))
  const request = lists.needsIndex(query) ? { ...list, facets, ranksOf } : list
  const found = await findList(reader, request, reader.store.passports.listByIds)
  const all = typed === '' && !lists.needsIndex(query) ? found.total : Math.max(known, found.total)
  const ids = new Set(first.map(({ passport }) => passport.id))
  const sorted = found.total > size || query.sort !== 'total' ? found.items : sortNamed(found.items, query)
  const items = sorted
    .slice(offset % size, (offset % size) + lists.PAGE_SIZE)
    .filter(({ id }) => !ids.has(id))
  const named = items.map((passport) => ({ passport, reason: undefined }))
  const isTop = ({ reason }: Match) => isComplete(reason)
  const rows = [...shown.filter(isTop), ...named, ...shown.filter((match) => !isTop(match))]
  const rankOf = async (score: number) => [score, (await reader.catalog.standing(score)).rank] as const
  const ranks =
    found.ranking?.ranks ?? new Map(await Promise.all(rows.map((row) => scoreOf(row)).map(rankOf)))
  // A score may have changed after the ranks were read: its rank is then the place in the list.
  const ranked = rows.map((row, at) => {
    const figure = scoreOf(row, found.points)
    return {
      ...row,
      rank: ranks.get(figure) ?? offset + at + 1,
      level: renderLevel(row.passport.scores.total, rules.levels),
      ...(query.sort !== 'total' && showPart(row.passport, figure, part)),
    }
  })
  return {
    query,
    ranked,
    total: found.total + extra,
    all,
    /** The number of passports among which the listed ones are ranked. */
    among: found.ranking?.among ?? found.total,
    /** The number of passports that match by id, wallet or handle, but not by name. `isMore`: there are even more. */
    extra,
    isMore,
    last: lastPage(found.total, lists.PAGE_SIZE),
    /** The score at which a bar is full. */
    scale: rule?.max_score ?? (mostPoints(rules, FIGURES[query.sort]) || scale),
    /** The counts of the requested facets, and ranks; absent if the list does not need the index. */
    ...{ facets: found.facets, ranking: found.ranking, points: found.points },
  }
}

/** At most this many matches of a search are sorted. More are listed by score. */
const MOST_SORTED = 200

/** Names with words that begin with the words of the search come first: "Ada" before "Meadow" for "ad". */
function sortNamed(people: readonly Passport[], { keyword = '' }: RankingQuery): readonly Passport[] {
  const isBegun = ({ profile }: Passport) => {
    const parts = foldName(profile.displayName).split(/[^\p{L}\p{N}]+/u)
    return wordsOf(keyword).every((word) => parts.some((part) => part.startsWith(word)))
  }
  return people.toSorted((one, other) => Number(isBegun(other)) - Number(isBegun(one)))
}

/** Finds passports by id, wallet or handle. `extra` is the number of those that do not match by name. */
async function findFirst(reader: Reader, { typed, keyword, filters }: RankingQuery) {
  if (typed === '') return { first: [], extra: 0, isMore: false }
  const { matches, isMore } = await findMatches(reader.store, typed, lists.toFilters(filters).flat())
  const words = wordsOf(keyword ?? '')
  const isNamed = ({ passport }: Match) =>
    words.every((word) => foldName(passport.profile.displayName).includes(word))
  // A passport that also matches by name is listed anyway. A complete id, wallet or handle moves it to the top.
  const first = matches.filter((match) => !isNamed(match) || isComplete(match.reason))
  return { first, extra: first.filter((match) => !isNamed(match)).length, isMore }
}
