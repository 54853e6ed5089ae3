import { foldName } from '../../domain/text/fold-name.ts'
import type { ExplorerOptions } from '../explorer-page.ts'
import { countValues, type FacetReader, type FacetValue, namesOf } from './facets.ts'
import { isNotReady } from './not-ready.ts'
import {
  FILTERS,
  type FilterName,
  hasFilter,
  type RankingQuery,
  withFilter,
  withText,
} from './ranking-query.ts'

/** A filter that a search text names; `query` is the list with it. `isExact`: its whole value is in the text. */
export type Suggestion = FacetValue & { name: FilterName; query: RankingQuery; isExact: boolean }

const MOST_SUGGESTIONS = 3

/** Finds tags, places and credentials with a word that begins with the search text. */
export function createSuggester({ catalog, rules }: ExplorerOptions, { labelOf }: FacetReader) {
  async function match(list: RankingQuery, text: string, signal: AbortSignal): Promise<Suggestion[]> {
    const found = (['tag', 'place', 'credential'] as const).map(async (name) => {
      const groups = await countValues(catalog, list, FILTERS[name], signal, text)
      if (name === 'credential') groups.push(...(await findNamed(list, text, signal)))
      const counts = new Map(groups.map(({ value, count }) => [value, count]))
      const values = await Promise.all(
        [...counts]
          .filter(([value]) => !hasFilter(list, name, value))
          .toSorted(([one], [other]) => Number(other === text) - Number(one === text))
          .slice(0, MOST_SUGGESTIONS)
          .map(async ([value, count]) => ({ value, count, label: await labelOf(name, value) })),
      )
      return values.map((each) => ({
        ...each,
        name,
        query: withFilter(list, name, each.value),
        isExact: each.value === text || foldName(each.label) === text,
      }))
    })
    return (await Promise.all(found)).flat()
  }

  /** The index has the types of credentials, the rule set their names. */
  async function findNamed(list: RankingQuery, text: string, signal: AbortSignal) {
    const types = [...namesOf(await rules())].filter(([, name]) => ` ${foldName(name)}`.includes(` ${text}`))
    return Promise.all(
      types.slice(0, MOST_SUGGESTIONS).map(async ([value]) => {
        const one = withFilter(list, 'credential', value)
        const groups = await countValues(catalog, one, 'type', signal, value)
        return { value, count: groups.find((group) => group.value === value)?.count ?? 0 }
      }),
    )
  }

  /** The last word may name a filter for the words before it. */
  async function find(query: RankingQuery, signal: AbortSignal): Promise<Suggestion[]> {
    const text = foldName(query.typed)
    const found = await match(withText(query, ''), text, signal)
    const at = text.lastIndexOf(' ')
    if (found.length > 0 || at === -1) return found
    const parts = await match(withText(query, text.slice(0, at)), text.slice(at + 1), signal)
    return parts.filter(({ isExact }) => isExact)
  }

  /** None while the index is not ready: it must not delay a search by name. */
  return async (query: RankingQuery, signal: AbortSignal): Promise<Suggestion[]> => {
    if (query.typed === '' || query.page > 1) return []
    try {
      return (await find(query, signal)).filter(({ count }) => count > 0)
    } catch (error) {
      if (isNotReady(error)) return []
      throw error
    }
  }
}
