import type { FacetRequest } from '../../domain/lists/list-request.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { countFacets, type FacetReader, type FacetValue, namesOf } from '../search/facets.ts'
import {
  FILTERS,
  type FilterName,
  hasFilter,
  type RankingQuery,
  withFilter,
  withText,
} from '../search/ranking-query.ts'
import type { ExplorerOptions } from '../site/explorer-page-types.ts'
import { ifReady } from '../site/not-ready.ts'

/** A filter suggested for the search text. `query` has that filter. `isExact`: the text is the whole value. */
export type Suggestion = FacetValue & { name: FilterName; query: RankingQuery; isExact: boolean }

const MOST_SUGGESTIONS = 3

/** Finds tags, places and credentials with a word that begins with the search text. */
export function createSuggester(options: ExplorerOptions, { labelOf }: FacetReader) {
  const { catalog, rules } = options

  async function requestsFor(text: string, among: 'list' | 'filter'): Promise<FacetRequest[]> {
    const names = ['tag', 'place', 'credential'] as const
    const fields = names.map((name) => ({ field: FILTERS[name], prefix: text, among }))
    // The index has the types of credentials. The rule set has their names.
    const named = [...namesOf(await rules())].filter(([, name]) => ` ${foldName(name)}`.includes(` ${text}`))
    const values = named.slice(0, MOST_SUGGESTIONS).map(([type]) => type)
    return [...fields, { field: FILTERS.credential, values, among }]
  }

  async function present(list: RankingQuery, text: string, counts: Counts): Promise<Suggestion[]> {
    const [tag = [], place = [], types = [], named = []] = counts
    const found = Object.entries({ tag, place, credential: [...types, ...named] }).map(async ([key, all]) => {
      const name = key as FilterName
      const values = [...new Map(all.map((each) => [each.value, each])).values()]
        .filter(({ value }) => !hasFilter(list, name, value))
        .toSorted((one, other) => Number(other.value === text) - Number(one.value === text))
        .slice(0, MOST_SUGGESTIONS)
      return Promise.all(
        values.map(async ({ value, count, first }): Promise<Suggestion> => {
          const label = await labelOf(name, value, first)
          const isExact = value === text || foldName(label) === text
          return { name, value, count, label, query: withFilter(list, name, value), isExact }
        }),
      )
    })
    return (await Promise.all(found)).flat()
  }

  /** Suggests filters for the whole text, or else for its last word. Evaluates the index only once for both texts. */
  async function find(query: RankingQuery, signal: AbortSignal): Promise<Suggestion[]> {
    const text = foldName(query.typed)
    const [all, at] = [withText(query, ''), text.lastIndexOf(' ')]
    const [rest, last] = [withText(query, text.slice(0, Math.max(0, at))), text.slice(at + 1)]
    const whole = await requestsFor(text, 'filter')
    const part = at === -1 ? [] : await requestsFor(last, 'list')
    const counts = await countFacets(catalog, rest, [...whole, ...part], signal)
    const found = await present(all, text, counts.slice(0, whole.length))
    if (found.length > 0 || at === -1) return found
    return (await present(rest, last, counts.slice(whole.length))).filter(({ isExact }) => isExact)
  }

  /** Returns `undefined` while the index is not ready, because suggestions must not delay a search by name. */
  return async (query: RankingQuery, signal: AbortSignal): Promise<Suggestion[] | undefined> =>
    query.typed === '' || query.page > 1 ? [] : ifReady(options, () => find(query, signal))
}

type Counts = Awaited<ReturnType<typeof countFacets>>
