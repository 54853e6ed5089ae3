import { foldName } from '../../../core/basics/text/fold-name.ts'
import { createSpelling } from '../../../core/basics/text/nearest-name.ts'
import { countNamed } from '../../../core/index/find-names.ts'
import { compareLevels } from '../../../core/lists/comparison.ts'
import { equals, formatFilter } from '../../../core/lists/filter.ts'
import type { FacetRequest } from '../../../core/lists/list-request.ts'
import { findTypesByWord, findUnits } from '../../../core/passport/rules/describe-type.ts'
import { namesOf, type RuleSetShape } from '../../../core/passport/rules/rule-set.ts'
import type { RankingQuery } from '../../../ui/list-address.ts'
import { PAGE_SIZE, toListQuery, typesOf, withFilter, withText } from '../../../ui/list-address.ts'
import { ifReady } from '../../../ui/not-ready.ts'
import type { ExplorerOptions } from '../../../ui/page.ts'
import { countFacets, type FacetReader } from './facets.ts'
import type { KnownFacet, ParsedSearch } from './parse-search.ts'
import { CONNECTING, OCCUPATION, parseSearch, phrasesOf } from './parse-search.ts'

/** A filter suggested for the end of the search text. `query` has that filter. `count` is unknown if other words remain. */
type Suggestion = { name: KnownFacet['name']; label: string; count: number | undefined; query: RankingQuery }

/** `query` is the list that the text describes. */
export type SearchReading = {
  query: RankingQuery
  suggestions?: readonly Suggestion[]
  /** The list of the first suggestion, or of similar tags, places and credentials, for a text that nobody matches. */
  instead?: () => RankingQuery
  note?: string | undefined
  /** Nobody matches the text, and `query` is the list of `instead`. */
  isSuggested?: boolean
  /** Words that no name or handle among the people of the filters has. `query` is the list without them. */
  leftOut?: string
}

const MOST_SUGGESTIONS = 3
const NAMES = ['tag', 'place', 'credential'] as const

type Reader = { options: ExplorerOptions; labelOf: FacetReader['labelOf'] }

/** Creates a reader, which returns `undefined` while the index is not ready, because it must not delay a search by name. */
export const createSearchReader =
  (options: ExplorerOptions, { labelOf }: FacetReader) =>
  async (query: RankingQuery, signal: AbortSignal): Promise<SearchReading | undefined> =>
    query.typed === '' ? { query } : ifReady(options, () => readSearch({ options, labelOf }, query, signal))

/** Reads filters from the search text, and suggests tags, places and credentials for its end. Evaluates the index once, or twice if a rare facet may be a name. The rule set has the names of credentials. */
async function readSearch({ options, labelOf }: Reader, query: RankingQuery, signal: AbortSignal) {
  const current = await options.rules()
  const titles = new Map([...namesOf(current)].map(([type, name]) => [type, foldName(name)]))
  const all = withText(query, '')
  const counts = await countFacets(options.catalog, all, requestsFor(query.typed, titles), signal)
  const [known = [], begun = [], offered = []] = [0, NAMES.length, 2 * NAMES.length].map((from) =>
    NAMES.flatMap((name, at) => counts[from + at]?.map((each) => ({ ...each, name })) ?? []),
  )
  const named = [...known, ...offered]
  const withPhrases = (facet: KnownFacet) => phrasesFor(facet, titles).map((phrase) => ({ ...facet, phrase }))
  const phrases = [...named.flatMap(withPhrases), ...namesOfRules(current)]
  const facets = Map.groupBy(phrases, ({ phrase }) => phrase)
  const read = parseSearch(query.typed, facets)
  const [only] = read.rest === '' && read.filters.length === 1 ? read.filters : []
  const { count: least = Number.POSITIVE_INFINITY } =
    named.find(({ name, value }) => name === only?.name && value === only.value) ?? {}
  const isNameFirst = least <= PAGE_SIZE && (await countNamed(options, toListQuery(query), signal)) >= least
  const parsed = isNameFirst ? { filters: [], rest: query.typed } : read
  // A name that cannot be read as a filter needs no quotes.
  if (query.isName) return { query: { ...query, isName: parsed.rest !== query.typed } }
  const list = toQuery(all, parsed)
  const words = query.typed.split(/\s+/)
  const ends = words.map((_, from) => foldName(words.slice(from).join(' ')))
  const candidates = begun
    .filter(({ name, value }) => !list.filters[name].includes(value))
    .map((facet) => ({ ...facet, used: countUsed(ends, phrasesFor(facet, titles)) }))
    .sort((one, other) => other.used - one.used || other.count - one.count)
  const suggest = async ({ name, value, count, first, used }: (typeof candidates)[number]) => {
    const before = withoutConnecting(words.slice(0, -used)).join(' ')
    const read = (named: Parameters<typeof parseSearch>[1]) =>
      withFilter(toQuery(all, parseSearch(before, named)), name, value)
    const label = await labelOf(name, value, first)
    return { name, label, count: used === words.length ? count : undefined, query: read(facets), read }
  }
  const bestOf = (name: string) => candidates.filter((each) => each.name === name).slice(0, MOST_SUGGESTIONS)
  // Leaves out suggestions that would turn words of a filter into a name.
  const suggestions = (await Promise.all(NAMES.flatMap(bestOf).map(suggest))).filter(
    (each) => each.query.typed.length <= list.typed.length,
  )
  return {
    query: { ...list, page: query.page },
    note: describeReading(parsed),
    suggestions,
    instead() {
      const find = createSpelling(phrases)
      const topic = (word: string) => findTopic(word, facets, offered, current)
      const isOther = (text: string) => text.startsWith('#') || OCCUPATION.test(text)
      const guess = (text: string) => (isOther(text) ? undefined : (topic(text) ?? find(text)))
      const similar = { get: (text: string) => facets.get(text) ?? guess(text) }
      // In "experts with github", the last word is a filter already: it does not begin "GitHub Developer".
      const end = ends.at(-1) ?? ''
      const isRead = parsed.filters.some(({ text = '' }) => foldName(text).split(' ').at(-1) === end)
      const first = isRead || topic(end) ? undefined : suggestions[0]?.read(similar)
      return first ?? toQuery(all, parseSearch(query.typed, similar))
    },
  }
}

/** Says how the text was read, if its words do not. */
const describeReading = ({ filters, isJob }: ParsedSearch): string | undefined =>
  filters.some(({ toPoints }) => toPoints)
    ? 'Amounts are compared by the points that they earn, so some people have less or more.'
    : isJob
      ? 'The occupation is no tag or credential here, so the people are sorted by skills.'
      : undefined

/** Levels, and units after "#". They count nobody, so that a tag or place of the same name is preferred. */
const namesOfRules = (rules: RuleSetShape): (KnownFacet & { phrase: string })[] => [
  ...compareLevels(rules.levels).map((level) => ({ ...level, name: 'score' as const, count: 0 })),
  ...findUnits(rules).map((unit) => ({ ...unit, name: 'credential' as const, count: 0 })),
]

/** A filter for people with a credential whose name or description has a word, unless the word names a facet. */
function findTopic(word: string, facets: Map<string, unknown>, offered: KnownFacet[], rules: RuleSetShape) {
  const types = facets.has(word.replace(/s$/, '')) ? [] : findTypesByWord(word, offered, rules)
  const conditions = types.slice(0, MOST_SUGGESTIONS).flatMap((type) => equals('type', type).conditions)
  const value = formatFilter([{ field: 'type', conditions }])
  return types.length === 0 ? undefined : [{ name: 'filter' as const, value, count: 0 }]
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

/** Requests the facets of all phrases, those that begin with the last word or its singular, and frequent ones, by `NAMES`. */
function requestsFor(typed: string, titles: ReadonlyMap<string, string>): FacetRequest[] {
  const phrases = phrasesOf(typed)
  const prefix = (foldName(typed).split(' ').at(-1) ?? '').replace(/(?<=...)s$/, '')
  const typesOf = (isWanted: (title: string) => boolean) =>
    [...titles].filter(([, title]) => isWanted(title)).map(([type]) => type)
  const named = typesOf((title) => phrases.includes(title))
  const types = [...phrases, ...phrases.map((phrase) => phrase.replaceAll(' ', '_')), ...named]
  const begun = typesOf((title) => ` ${title}`.includes(` ${prefix}`))
  return [
    { field: 'tag', values: phrases, among: 'all' },
    { field: 'location', values: phrases, among: 'all' },
    { field: 'type', values: types, among: 'all' },
    { field: 'tag', prefix, among: 'filter' },
    { field: 'location', prefix, among: 'filter' },
    { field: 'type', values: begun, among: 'filter' },
    { field: 'tag', among: 'filter' },
    { field: 'location', among: 'filter' },
    { field: 'type', among: 'filter' },
  ]
}

function toQuery(query: RankingQuery, { filters, rest, sort }: ParsedSearch): RankingQuery {
  const add = (list: RankingQuery, { name, value }: (typeof filters)[number]) => withFilter(list, name, value)
  const list = filters.reduce(add, withText(query, rest))
  // "github over 20" asks for points, so the list is sorted by them.
  const isPoints = list.filters.points.length > 0 && typesOf(list).length === 1 && query.sort === 'total'
  return { ...list, sort: sort ?? (isPoints ? 'points' : query.sort) }
}

/** Counts the last words with which a phrase, or a word in it, begins; at least one. `ends[at]` is the text from word `at` on. */
const countUsed = (ends: readonly string[], phrases: readonly string[]): number =>
  ends.slice(ends.findIndex((end) => phrases.some((phrase) => ` ${phrase}`.includes(` ${end}`)))).length
