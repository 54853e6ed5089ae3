import { findSimilarName } from '../../../core/index/find-names.ts'
import { type RankingQuery, toListQuery, withoutFilter, withText } from '../../../ui/list-address.ts'
import type { ExplorerOptions } from '../../../ui/page.ts'
import type { ActiveFilter } from './facets.ts'

/** Lists that find people, for a page that finds nobody. `named` has the name that the text may mean, `ranked` its people. */
export type OtherLists = Awaited<ReturnType<typeof findOthers>>

const MOST_LISTS = 8

/** Finds the lists without one of the filters or words. Beside filters, all words count as one. Evaluates the index once. */
export async function findOthers(
  options: ExplorerOptions,
  query: RankingQuery,
  filters: readonly ActiveFilter[],
  signal: AbortSignal,
) {
  const words = query.typed.split(/\s+/).filter(Boolean)
  const texts = filters.length === 0 ? words : [query.typed].filter(Boolean)
  const fewer = [
    ...texts.map((text, at) => ({
      ...{ word: 'Without ', label: `“${text}”` },
      query: withText(query, texts.toSpliced(at, 1).join(' '), query.isName),
    })),
    ...filters.map((each) => ({
      ...{ word: 'Remove ', label: each.label, query: withoutFilter(query, each.name, each.value) },
    })),
  ].slice(0, texts.length + filters.length > 1 || query.sort !== 'total' ? MOST_LISTS : 0)
  const list = { ...toListQuery(query), counts: fewer.map((each) => toListQuery(each.query)) }
  const { name, people, counts } = await findSimilarName(options, words, list, signal)
  const counted = fewer.map((each, at) => ({ ...each, count: counts[at] ?? 0 }))
  // Ranks among filtered people, or by a part of the score, would need another search.
  const shown = filters.length > 0 || query.sort !== 'total' ? [] : people
  const standings = await Promise.all(shown.map(({ scores }) => options.catalog.standing(scores.total)))
  return {
    ranked: shown.map((passport, at) => ({ passport, rank: standings[at]?.rank ?? 1 })),
    named: name === undefined ? undefined : withText(query, name, true),
    lists: counted.filter(({ count }) => count > 0),
  }
}
