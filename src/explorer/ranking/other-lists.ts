import { findSimilarName } from '../../catalog/find-names.ts'
import type { ActiveFilter } from '../search/facets.ts'
import type { RankingQuery } from '../search/ranking-query.ts'
import { ALL_PASSPORTS, toListQuery, withFilter, withoutFilter, withText } from '../search/ranking-query.ts'
import type { ExplorerOptions } from '../site/explorer-page-types.ts'

/** Lists that find people, for a page that finds nobody. `named` has the name that the text may mean, `ranked` its people. */
export type OtherLists = Awaited<ReturnType<typeof findOthers>>

const MOST_LISTS = 8

/** Finds the lists without one word or filter, or with one filter only. Evaluates the index once. */
export async function findOthers(
  options: ExplorerOptions,
  query: RankingQuery,
  filters: readonly ActiveFilter[],
  signal: AbortSignal,
) {
  const words = query.typed.split(/\s+/).filter(Boolean)
  const parts = words.length + filters.length
  const fewer = [
    ...words.map((word, at) => ({
      ...{ word: 'Without ', label: `“${word}”` },
      query: withText(query, words.toSpliced(at, 1).join(' '), query.isName),
    })),
    ...filters.map((each) => ({
      ...{ word: 'Remove ', label: each.label, query: withoutFilter(query, each.name, each.value) },
    })),
  ].slice(0, parts > 1 ? MOST_LISTS : 0)
  const alone = (parts > 2 ? filters : []).map(({ name, value, label, count = 0 }) => ({
    ...{ word: 'Only ', label, count, query: withFilter(ALL_PASSPORTS, name, value) },
  }))
  const list = { ...toListQuery(query), counts: fewer.map((each) => toListQuery(each.query)) }
  const { name, people, counts } = await findSimilarName(options, words, list, signal)
  const counted = fewer.map((each, at) => ({ ...each, count: counts[at] ?? 0 }))
  // Ranks among filtered people, or by a part of the score, would need another search.
  const shown = filters.length > 0 || query.sort !== 'total' ? [] : people
  const standings = await Promise.all(shown.map(({ scores }) => options.catalog.standing(scores.total)))
  return {
    ranked: shown.map((passport, at) => ({ passport, rank: standings[at]?.rank ?? 1 })),
    named: name === undefined ? undefined : withText(query, name, true),
    lists: [...counted, ...alone].filter(({ count }) => count > 0),
  }
}
