import { createFacetIndex } from '../../catalog/facets/facet-index.ts'
import { findList } from '../../catalog/find-list.ts'
import { findPage } from '../../catalog/find-page.ts'
import { wordsOf } from '../../domain/keyword.ts'
import { lastPage } from '../../domain/page.ts'
import type { Passport } from '../../domain/passport.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { Filter } from '../../domain/v3/filter.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { findMatches, type Match, type Reason } from './find-matches.ts'
import { needsIndex, PAGE_SIZE, type RankingQuery, SORTS, toFilter, toListQuery } from './ranking-query.ts'

/** Equal scores have the same rank: among all, or among those with the filters. */
export type Ranked = {
  passport: Passport
  rank: number
  reason?: Reason | undefined
  /** Shown below the name. */
  note?: string | undefined
}

export type FoundRanking = {
  query: RankingQuery
  ranked: readonly Ranked[]
  /** Passports that match. */
  total: number
  /** Passports of the service. */
  all: number
  /** The passports that ranks count. */
  among: number
  /** Passports that were found by id, wallet or handle alone; `isMore`: there are more. */
  extra: number
  isMore: boolean
  last: number
  /** The score at the end of the bars. */
  scale: number
}

type Reader = Pick<ExplorerOptions, 'store' | 'catalog'>

/** A page of the ranking. The first one begins with passports that the text finds by id, wallet or handle. */
export async function findRanking(
  reader: Reader,
  query: RankingQuery,
  signal: AbortSignal,
): Promise<FoundRanking> {
  const { store, catalog } = reader
  const { page, typed, keyword } = query
  const { total: known, scale } = await catalog.standing(0)
  const found = await (needsIndex(query)
    ? findFiltered(reader, query, signal)
    : findAll(reader, query, signal))
  const all = typed === '' && !needsIndex(query) ? found.total : Math.max(known, found.total)
  const byKey = typed === '' ? NO_MATCHES : await findMatches(store, typed)
  const matches = await keepFiltered(reader, byKey.matches, toFilter(query.filters))
  const words = wordsOf(keyword ?? '')
  const isNamed = ({ passport }: Match) =>
    words.every((word) => foldName(passport.profile.displayName).includes(word))
  // A match by name is in the list already; only complete texts are better.
  const first = matches.filter((match) => !isNamed(match) || isComplete(match))
  const extra = first.filter((match) => !isNamed(match)).length
  const total = found.total + extra
  const ids = new Set(first.map(({ passport }) => passport.id))
  const items = found.items.filter(({ id }) => !ids.has(id))
  const rows = [...(page === 1 ? first : []), ...items.map((passport) => ({ passport, reason: undefined }))]
  const ranks = await findRanks(reader, query, rows, signal)
  const ranked = rows.map((row, at) => ({ ...row, rank: ranks[at] as number }))
  const last = lastPage(found.total, PAGE_SIZE)
  const among =
    !needsIndex(query) || typed === '' ? found.total : await countAbove(reader, query, undefined, signal)
  return { query, ranked, total, all, among, extra, isMore: byKey.isMore, last, scale }
}

const NO_MATCHES = { matches: [], isMore: false }

/** Without a search, ranks follow from the place in the list. */
async function findRanks(
  reader: Reader,
  query: RankingQuery,
  rows: readonly { passport: Passport }[],
  signal: AbortSignal,
): Promise<number[]> {
  const ranks = new Map<number, number>()
  const scores = rows.map(({ passport }) => passport.scores[query.sort])
  for (const [at, score] of scores.entries()) {
    if (ranks.has(score)) continue
    const place = (query.page - 1) * PAGE_SIZE + at + 1
    const isKnown = query.typed === '' && (at > 0 || place === 1)
    const find = async () =>
      needsIndex(query)
        ? (await countAbove(reader, query, score, signal)) + 1
        : (await reader.catalog.standing(score)).rank
    ranks.set(score, isKnown && needsIndex(query) ? place : await find())
  }
  return scores.map((score) => ranks.get(score) as number)
}

/** The passports with the filters, regardless of the search, and with a higher score, if one is given. */
async function countAbove(
  { catalog }: Reader,
  query: RankingQuery,
  score: number | undefined,
  signal: AbortSignal,
): Promise<number> {
  const { filter, sort } = toListQuery(query)
  const above = {
    field: SORTS[query.sort],
    conditions: [{ not: false, operator: '>' as const, value: score ?? 0 }],
  }
  const request = {
    ...{ keyword: undefined, sort, groupBy: undefined, after: undefined, limit: 0, signal },
    filter: score === undefined ? filter : [...filter, above],
  }
  return (await catalog.list(request, false)).total
}

const isComplete = ({ reason: { text, end } }: Match) => end === text.length

const findAll = ({ store, catalog }: Reader, { page, keyword }: RankingQuery, signal: AbortSignal) =>
  findPage({ catalog, store }, { page, size: PAGE_SIZE, keyword, signal }, store.passports.listByIds)

function findFiltered({ store, catalog }: Reader, query: RankingQuery, signal: AbortSignal) {
  const offset = (query.page - 1) * PAGE_SIZE
  const request = { ...toListQuery(query), limit: PAGE_SIZE, offset, signal }
  return findList({ store, catalog }, request, async (ids) => {
    const passports = await store.passports.listByIds(ids)
    const byId = new Map(passports.map((passport) => [passport.id, passport]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  })
}

/** Evaluates the filter for a few passports with an index of their own. */
async function keepFiltered({ store }: Reader, matches: Match[], filter: Filter): Promise<Match[]> {
  if (filter.length === 0 || matches.length === 0) return matches
  const index = createFacetIndex()
  index.replace([], await store.facets.list(matches.map(({ passport }) => passport.id)))
  const sort = { field: 'passport_id', descending: false } as const
  const kept = new Set(index.find({ filter, sort, limit: matches.length }).ids)
  return matches.filter(({ passport }) => kept.has(passport.id))
}
