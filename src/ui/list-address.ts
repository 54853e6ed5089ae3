import { invalidParameter } from '../core/basics/errors.ts'
import { count } from '../core/basics/text/counts-and-sizes.ts'
import { foldName } from '../core/basics/text/fold-name.ts'
import { quote } from '../core/basics/text/quote.ts'
import { type Compared, formatComparison, parseComparison, toTerms } from '../core/lists/comparison.ts'
import { equals, type Filter, formatFilter, parseFilter } from '../core/lists/filter.ts'
import { formatSort, parseKeyword, parsePageNumber, toWords } from '../core/lists/list-request.ts'
import { LONGEST_VALUE } from './text.ts'

/** The sort orders of the page, each with its sort field in v3. `points` sorts by the points for the only credential in the filters. */
export const SORTS = {
  total: 'score',
  activity: 'activity_score',
  identity: 'identity_score',
  skills: 'skills_score',
  points: 'score',
} as const

export type RankingSort = keyof typeof SORTS

/** The filter parameters whose values can be counted, each with its filter field in v3. */
const FACETS = { tag: 'tag', credential: 'type', place: 'location', human: 'human' } as const

export type FacetName = keyof typeof FACETS

/**
 * All filter parameters of the page. The values of `points` and `score` are comparisons: "github>20", "skills>200". Those of
 * `filter` are filters of v3: "tag:rust|solidity", "type:!github".
 */
export const FILTERS = { ...FACETS, filter: 'filter', points: 'points', score: 'score' } as const

export type FilterName = keyof typeof FILTERS

/** The parsed query of the ranking page. Filter values are folded and sorted, without duplicates. */
export type RankingQuery = {
  /** The search text; empty without a search. */
  typed: string
  /** The text is a name, even if its words are tags or places. In the URL it is in quotes. */
  isName: boolean
  /** The folded words of the search text; a name may have them in any order. */
  keyword: string | undefined
  filters: Readonly<Record<FilterName, readonly string[]>>
  sort: RankingSort
  page: number
}

export const PAGE_SIZE = 20

export const MOST_VALUES = { tag: 5, credential: 5, place: 1, human: 1, filter: 4, points: 3, score: 4 }

/** Throws `invalid_request` for values that are not accepted. Blank values and unknown parameters are ignored. */
export function parseRankingQuery(query: URLSearchParams): RankingQuery {
  const text = (query.get('q') ?? '').trim()
  const [, name] = QUOTED.exec(text) ?? []
  const typed = (name ?? text).trim()
  const keyword = parseKeyword(typed, 'q')
  const parsed = {
    typed: keyword === undefined ? '' : typed,
    isName: name !== undefined,
    keyword: keyword && toWords(keyword),
    filters: {
      tag: parseValues(query, 'tag'),
      credential: parseValues(query, 'credential'),
      place: parseValues(query, 'place'),
      human: parseValues(query, 'human').map((text) => parseChoice('human', text, ['true', 'false'])),
      filter: parseValues(query, 'filter').map((text) => formatFilter(parseFilter(text))),
      points: parseValues(query, 'points').map((text) => readComparison('points', text)),
      score: parseValues(query, 'score').map((text) => readComparison('score', text)),
    },
    sort: parseChoice('sort', query.get('sort') || 'total', Object.keys(SORTS) as RankingSort[]),
    page: parsePageNumber(query.get('page')),
  }
  return parsed.sort === 'points' && typesOf(parsed).length !== 1 ? { ...parsed, sort: 'total' } : parsed
}

const QUOTED = /^["“”](.*)["“”]$/s

function parseValues(query: URLSearchParams, name: FilterName): string[] {
  const values = [...new Set(query.getAll(name).map(foldName))].filter(Boolean).sort()
  if (values.length > MOST_VALUES[name])
    throw invalidParameter(
      name,
      `${name} may have at most ${count(MOST_VALUES[name], 'value')}, got ${values.length}.`,
    )
  const longest = Math.max(0, ...values.map(({ length }) => length))
  if (longest <= LONGEST_VALUE) return values
  throw invalidParameter(name, `${name} must be at most ${LONGEST_VALUE} characters, got ${longest}.`)
}

function readComparison(name: Compared, text: string): string {
  const comparison = formatComparison(name, text)
  if (comparison !== undefined) return comparison
  const example = name === 'score' ? '>20' : 'github>20'
  throw invalidParameter(name, `${name} must be a comparison such as ${example}, got ${quote(text)}.`)
}

export function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  const accepted = choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`
  throw invalidParameter(name, `${name} must be ${accepted}, got ${quote(text)}.`)
}

export const ALL_PASSPORTS = parseRankingQuery(new URLSearchParams())

/** The text in the search field. */
export const searchText = ({ typed, isName }: Pick<RankingQuery, 'typed' | 'isName'>): string =>
  isName && typed !== '' ? `"${typed}"` : typed

/** Returns the URL of the ranking page. Defaults are left out. */
export function addressOf({ filters, sort, page, ...search }: RankingQuery): string {
  const query = new URLSearchParams()
  const text = searchText(search)
  if (text !== '') query.set('q', text)
  for (const [name, value] of filtersOf(filters)) query.append(name, value)
  if (sort !== 'total') query.set('sort', sort)
  if (page > 1) query.set('page', String(page))
  return query.size === 0 ? '/' : `/?${query}`
}

/** The filters in a fixed order. */
export const filtersOf = (filters: RankingQuery['filters']): [FilterName, string][] =>
  (Object.keys(FILTERS) as FilterName[]).flatMap((name) =>
    filters[name].map((value): [FilterName, string] => [name, value]),
  )

/** Adds a folded value of a filter and returns to page 1. If there are too many values, the new one replaces the last. */
export function withFilter(query: RankingQuery, name: FilterName, value: string): RankingQuery {
  const others = query.filters[name].filter((each) => each !== value).slice(0, MOST_VALUES[name] - 1)
  return { ...query, page: 1, filters: { ...query.filters, [name]: [...others, value].sort() } }
}

/** The first page of the list with another search text. */
export const withText = (query: RankingQuery, typed: string, isName = false): RankingQuery => ({
  ...query,
  typed,
  isName,
  keyword: typed === '' ? undefined : toWords(foldName(typed)),
  page: 1,
})

export function withoutFilter(query: RankingQuery, name: FilterName, value: string): RankingQuery {
  const values = query.filters[name].filter((each) => each !== value)
  return { ...query, page: 1, filters: { ...query.filters, [name]: values } }
}

export const isFiltered = ({ filters }: RankingQuery): boolean => filtersOf(filters).length > 0

/** Whether the list needs the facet index; the ranking by total score does not. */
export const needsIndex = (query: RankingQuery): boolean => query.sort !== 'total' || isFiltered(query)

/** The credential types that the filters name. */
export const typesOf = ({ filters }: Pick<RankingQuery, 'filters'>): readonly string[] => [
  ...new Set([...filters.points.map((value) => parseComparison(value).type), ...filters.credential]),
]

/** The query of the same list in v3, and the points that the page shows. */
export const toListQuery = (query: RankingQuery) => ({
  keyword: query.keyword,
  filter: toFilters(query.filters).flat(),
  sort: {
    field: SORTS[query.sort],
    descending: true,
    ...(query.sort === 'points' && { pointsFor: typesOf(query)[0] }),
  },
  pointsFor: typesOf(query),
})

/** The filter of each value alone. */
export const toFilters = (filters: RankingQuery['filters']): Filter[] =>
  filtersOf(filters).map(([name, value]) => {
    if (name === 'filter') return parseFilter(value)
    return name === 'points' || name === 'score' ? toTerms(name, value) : [equals(FILTERS[name], value)]
  })

/** The path of the v3 request for the list. Unlike the page, it does not find the words of a name in any order. */
export function apiAddressOf(query: RankingQuery): string {
  const { filter, sort } = toListQuery(query)
  const parameters = new URLSearchParams()
  if (query.typed !== '') parameters.set('q', query.typed)
  if (filter.length > 0) parameters.set('filter', formatFilter(filter))
  if (query.sort !== 'total') parameters.set('sort', formatSort(sort))
  // Colons and commas need no encoding, and are easier to read without it.
  const text = String(parameters).replaceAll('%3A', ':').replaceAll('%2C', ',')
  return `/api/v3/passports${text === '' ? '' : `?${text}`}`
}
