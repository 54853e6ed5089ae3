import { foldName } from '../../../core/basics/text/fold-name.ts'
import { findSimilarName } from '../../../core/index/find-names.ts'
import { compareLevels } from '../../../core/lists/comparison.ts'
import type { FacetRequest } from '../../../core/lists/list-request.ts'
import { namesOf } from '../../../core/passport/rules/rule-set.ts'
import type { RankingQuery } from '../../../ui/list-address.ts'
import { toListQuery, withFilter, withText } from '../../../ui/list-address.ts'
import { ifReady } from '../../../ui/not-ready.ts'
import type { ExplorerOptions } from '../../../ui/page.ts'
import { countFacets, type FacetReader } from './facets.ts'
import { CONNECTING, type KnownFacet, type ParsedSearch, parseSearch, phrasesOf } from './parse-search.ts'

/** A filter suggested for the end of the search text. `query` has that filter. `count` is unknown if other words remain. */
type Suggestion = { name: KnownFacet['name']; label: string; count: number | undefined; query: RankingQuery }

/** `query` is the list that the text describes. */
export type SearchReading = { query: RankingQuery; suggestions?: readonly Suggestion[] }

const MOST_SUGGESTIONS = 3
const NAMES = ['tag', 'place', 'credential'] as const

type Reader = { options: ExplorerOptions; labelOf: FacetReader['labelOf'] }

/** Creates a reader, which returns `undefined` while the index is not ready, because it must not delay a search by name. */
export const createSearchReader =
  (options: ExplorerOptions, { labelOf }: FacetReader) =>
  async (query: RankingQuery, signal: AbortSignal): Promise<SearchReading | undefined> =>
    query.typed === '' ? { query } : ifReady(options, () => readSearch({ options, labelOf }, query, signal))

/**
 * Reads filters from the search text, and suggests frequent tags, places and credentials for its end. Evaluates the index
 * once. The rule set has the names of credentials.
 */
async function readSearch(
  { options, labelOf }: Reader,
  query: RankingQuery,
  signal: AbortSignal,
): Promise<SearchReading> {
  const { levels, ...rules } = await options.rules()
  const titles = new Map([...namesOf(rules)].map(([type, name]) => [type, foldName(name)]))
  const all = withText(query, '')
  const counts = await countFacets(options.catalog, all, requestsFor(query.typed, titles), signal)
  const named = counts.map((facets, at) =>
    facets.map((facet) => ({ ...facet, name: NAMES[at % NAMES.length] as (typeof NAMES)[number] })),
  )
  const phrases = [
    ...named.flat().flatMap((facet) => phrasesFor(facet, titles).map((phrase) => ({ ...facet, phrase }))),
    // Levels count nobody, so that a tag or place of the same name is preferred.
    ...compareLevels(levels).map((level) => ({ ...level, name: 'score' as const, count: 0 })),
  ]
  const facets = Map.groupBy(phrases, ({ phrase }) => phrase)
  const parsed = parseSearch(query.typed, facets)
  // A name that cannot be read as a filter needs no quotes.
  if (query.isName) return { query: { ...query, isName: parsed.filters.length > 0 } }
  const list = toQuery(all, parsed)
  const words = query.typed.split(/\s+/)
  const ends = words.map((_, from) => foldName(words.slice(from).join(' ')))
  const candidates = named
    .slice(NAMES.length)
    .flat()
    .filter(({ name, value }) => !list.filters[name].includes(value))
    .map((facet) => ({ ...facet, used: countUsed(ends, phrasesFor(facet, titles)) }))
    .filter(({ used }) => used > 0)
    .sort((one, other) => other.used - one.used || other.count - one.count)
  const suggest = async ({ name, value, count, first, used }: (typeof candidates)[number]) => {
    const before = withoutConnecting(words.slice(0, -used)).join(' ')
    return {
      ...{ name, label: await labelOf(name, value, first), count: used === words.length ? count : undefined },
      query: withFilter(toQuery(all, parseSearch(before, facets)), name, value),
    }
  }
  const bestOf = (name: string) => candidates.filter((each) => each.name === name).slice(0, MOST_SUGGESTIONS)
  const suggestions = await Promise.all(NAMES.flatMap(bestOf).map(suggest))
  // Leaves out suggestions that would turn words of a filter into a name.
  return {
    query: { ...list, page: query.page },
    suggestions: suggestions.filter((each) => each.query.typed.length <= list.typed.length),
  }
}

/** All phrases that name a facet. */
const phrasesFor = ({ name, value }: KnownFacet, titles: ReadonlyMap<string, string>) =>
  name === 'credential'
    ? [value, value.replaceAll('_', ' '), titles.get(value) ?? value]
    : [value, ...(PARTS.exec(value)?.slice(1).filter(Boolean) ?? [])]

/** "tokyo" and "東京" stand for "tokyo 東京", "paris" for "paris, france". */
const PARTS = /^(.*?)(?:,.*| ([^\p{Script=Latin}\d]+))$/u

/** Leaves out connecting words at the end. */
const withoutConnecting = (words: readonly string[]) =>
  words.slice(0, words.findLastIndex((word) => !CONNECTING.has(foldName(word))) + 1)

/** Requests the facets of all phrases, and the most frequent ones, both by `NAMES`. */
function requestsFor(typed: string, titles: ReadonlyMap<string, string>): FacetRequest[] {
  const phrases = phrasesOf(typed)
  const named = [...titles].filter(([, title]) => phrases.includes(title)).map(([type]) => type)
  const types = [...phrases, ...phrases.map((phrase) => phrase.replaceAll(' ', '_')), ...named]
  return [
    { field: 'tag', values: phrases, among: 'all' },
    { field: 'location', values: phrases, among: 'all' },
    { field: 'type', values: types, among: 'all' },
    { field: 'tag', among: 'filter' },
    { field: 'location', among: 'filter' },
    { field: 'type', among: 'filter' },
  ]
}

const toQuery = (query: RankingQuery, { filters, rest }: ParsedSearch): RankingQuery =>
  filters.reduce((list, { name, value }) => withFilter(list, name, value), withText(query, rest))

/** Counts the last words with which a phrase, or a word in it, begins. `ends[at]` is the text from word `at` on. */
function countUsed(ends: readonly string[], phrases: readonly string[]): number {
  const at = ends.findIndex((end) => phrases.some((phrase) => ` ${phrase}`.includes(` ${end}`)))
  return at === -1 ? 0 : ends.length - at
}

/** Finds the list for the similar name that a text which nobody matches may mean. */
export async function findSimilar(
  options: ExplorerOptions,
  query: RankingQuery,
  signal: AbortSignal,
): Promise<RankingQuery | undefined> {
  const words = query.typed.split(/\s+/).filter(Boolean)
  const name = await findSimilarName(options, words, toListQuery(query), signal)
  return name === undefined ? undefined : withText(query, name, true)
}
