import { createFacetIndex } from '../../catalog/facets/facet-index.ts'
import { findList } from '../../catalog/find-list.ts'
import { findPage } from '../../catalog/find-page.ts'
import { lastPage } from '../../domain/page.ts'
import type { Passport } from '../../domain/passport.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { Filter } from '../../domain/v3/filter.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { findMatches, type Match, type Reason } from './find-matches.ts'
import { needsIndex, PAGE_SIZE, type RankingQuery, toFilter, toListQuery } from './ranking-query.ts'

/** Equal total scores have the same rank. In a list by a part of the score, `rank` is the position in the list. */
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
  const matches =
    typed === '' ? [] : await keepFiltered(reader, await findMatches(store, typed), toFilter(query.filters))
  const isNamed = ({ passport }: Match) => foldName(passport.profile.displayName).includes(keyword ?? '')
  // The list already has matches by name; only a complete id, wallet or handle moves one to the top.
  const first = matches.filter((match) => !isNamed(match) || isComplete(match))
  const total = found.total + first.filter((match) => !isNamed(match)).length
  const ids = new Set(first.map(({ passport }) => passport.id))
  const items = found.items.filter(({ id }) => !ids.has(id))
  const rows = [...(page === 1 ? first : []), ...items.map((passport) => ({ passport, reason: undefined }))]
  const ranked = await Promise.all(
    rows.map(async (row, at) => ({
      ...row,
      rank:
        query.sort === 'total'
          ? (await catalog.standing(row.passport.scores.total)).rank
          : (page - 1) * PAGE_SIZE + at + 1,
    })),
  )
  return { query, ranked, total, all, last: lastPage(found.total, PAGE_SIZE), scale }
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
