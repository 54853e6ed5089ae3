import { foldName } from '../../domain/text/fold-name.ts'
import { findMisspelt } from '../../domain/text/nearest-name.ts'
import type { ActiveFilter } from '../search/facets.ts'
import {
  ALL_PASSPORTS,
  PAGE_SIZE,
  type RankingQuery,
  toListQuery,
  withFilter,
  withoutFilter,
  withText,
} from '../search/ranking-query.ts'
import type { ExplorerOptions } from '../site/explorer-page-types.ts'

/** Lists that find people, for a page that finds nobody. `named` has the name that the search text may mean. */
export type OtherLists = {
  named: RankingQuery | undefined
  lists: readonly { word: string; label: string; query: RankingQuery; count: number }[]
}

const MOST_WORDS = 4

/** Evaluates the index once. The similar names have the first half of each word of the text. */
export async function findOthers(
  { catalog, store }: Pick<ExplorerOptions, 'catalog' | 'store'>,
  query: RankingQuery,
  filters: readonly ActiveFilter[],
  signal: AbortSignal,
): Promise<OtherLists> {
  const words = query.typed.split(/\s+/).filter(Boolean)
  const withoutWord = (word: string, at: number) => ({
    ...{ word: 'Without ', label: `“${word}”` },
    query: withText(query, words.toSpliced(at, 1).join(' '), query.isName),
  })
  const fewer = [
    ...words.slice(0, words.length + filters.length > 1 ? MOST_WORDS : 0).map(withoutWord),
    ...filters.map(({ name, value, label }) => ({
      ...{ word: 'Remove ', label },
      query: withoutFilter(query, name, value),
    })),
  ]
  const halves = words.map((word) => foldName(word).slice(0, Math.ceil(word.length / 2)))
  const { ids, counts = [] } = await catalog.list(
    {
      ...toListQuery(withText(query, halves.join(' '))),
      ...{
        limit: words.length === 0 ? 0 : PAGE_SIZE,
        counts: fewer.map((each) => toListQuery(each.query)),
        signal,
      },
    },
    false,
  )
  const isLike = (name: string) => {
    const known = wordsOfName(name).map((phrase) => ({ phrase }))
    return words.every((word) => findMisspelt(foldName(word), known))
  }
  const names = (await store.passports.listByIds(ids)).map(({ profile }) => profile.displayName)
  const name = names.find(isLike)
  const alone = filters.map(({ name, value, label, count = 0 }) => ({
    ...{ word: 'Only ', label, count },
    query: withFilter(ALL_PASSPORTS, name, value),
  }))
  const lists = [
    ...fewer.map((each, at) => ({ ...each, count: counts[at] ?? 0 })),
    ...(words.length + filters.length > 2 ? alone : []),
  ]
  return {
    named: name === undefined ? undefined : withText(query, name, true),
    lists: lists.filter(({ count }) => count > 0),
  }
}

/** The folded words of a name. */
export const wordsOfName = (name: string): string[] => foldName(name).split(/[^\p{L}\p{N}]+/u)
