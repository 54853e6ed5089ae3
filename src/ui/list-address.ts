import { equals, type Filter, formatFilter, parseFilter } from '../core/lists/filter.ts'
import {
  formatSort,
  parseKeyword,
  parsePageNumber,
  parseSort,
  type Sort,
  type SortField,
} from '../core/lists/list-request.ts'

type Term = Filter[number]

/** The query of v3 lists, and a page. `text` is the search text. Terms are sorted, without duplicates. */
export type PeopleQuery = { text: string; filter: Filter; sort: Sort; page: number }

export const PAGE_SIZE = 20

const BY_SCORE: Sort = { field: 'score', descending: true }
const DEFAULT_SORT = formatSort(BY_SCORE)

export const SORTS = {
  total: 'score',
  activity: 'activity_score',
  identity: 'identity_score',
  skills: 'skills_score',
} as const satisfies Record<string, SortField>

/** Throws `invalid_request` for values that are not accepted. Blank values and unknown parameters are ignored. */
export function parsePeopleQuery(query: URLSearchParams): PeopleQuery {
  const typed = (query.get('q') ?? '').trim()
  const filter = (query.get('filter') ?? '').trim()
  return {
    text: parseKeyword(typed, 'q') === undefined ? '' : typed,
    filter: filter === '' ? [] : sortTerms(parseFilter(filter)),
    sort: parseSort(query.get('sort') || undefined),
    page: parsePageNumber(query.get('page')),
  }
}

const textOf = (term: Term): string => formatFilter([term])

function sortTerms(filter: Filter): Filter {
  if (filter.length < 2) return filter
  const terms = new Map(filter.map((term) => [textOf(term), term]))
  return [...terms.keys()].sort().map((text) => terms.get(text) as Term)
}

export const EVERYBODY: PeopleQuery = { text: '', filter: [], sort: BY_SCORE, page: 1 }

/** The parameters, which v3 has too. Defaults are left out. */
export function parametersOf({ text, filter, sort }: Omit<PeopleQuery, 'page'>): [string, string][] {
  const sorted = formatSort(sort)
  return [
    ...(text === '' ? [] : [['q', text] as [string, string]]),
    ...(filter.length === 0 ? [] : [['filter', formatFilter(filter)] as [string, string]]),
    ...(sorted === DEFAULT_SORT ? [] : [['sort', sorted] as [string, string]]),
  ]
}

const PLAIN = /^[\w .:,-]*$/

/** Colons and commas need no encoding. A page has a hundred links, so most are concatenated. */
function join(path: string, parameters: readonly [string, string][]): string {
  if (parameters.length === 0) return path
  const query = parameters.every(([, value]) => PLAIN.test(value))
    ? parameters.map(([name, value]) => `${name}=${value.replaceAll(' ', '+')}`).join('&')
    : String(new URLSearchParams([...parameters]))
        .replaceAll('%3A', ':')
        .replaceAll('%2C', ',')
  return `${path}?${query}`
}

export const addressOf = (query: PeopleQuery): string =>
  join('/', [
    ...parametersOf(query),
    ...(query.page > 1 ? [['page', `${query.page}`] as [string, string]] : []),
  ])

export const apiAddressOf = (query: PeopleQuery): string =>
  join(query.text === '' ? '/api/v3/passports' : '/api/v3/search', parametersOf(query))

export const addressOfFilter = (filter: Filter): string =>
  addressOf({ ...EVERYBODY, filter: sortTerms(filter) })

export const addressOfValue = (field: 'tag' | 'location' | 'type', value: string): string =>
  addressOfFilter([equals(field, value)])

export const hasTerms = ({ filter }: PeopleQuery, terms: Filter): boolean =>
  terms.every((term) => filter.some((own) => textOf(own) === textOf(term)))

export const withoutTerms = (query: PeopleQuery, terms: Filter): PeopleQuery => ({
  ...query,
  page: 1,
  filter: query.filter.filter((term) => !terms.some((removed) => textOf(removed) === textOf(term))),
})

export const withTerms = (query: PeopleQuery, terms: Filter): PeopleQuery => ({
  ...query,
  page: 1,
  filter: sortTerms([...query.filter, ...terms]),
})

export const isFiltered = ({ filter }: PeopleQuery): boolean => filter.length > 0

export const valuesOf = ({ filter }: PeopleQuery, field: 'tag' | 'type'): string[] =>
  filter
    .flatMap((term) => (term.field === field ? term.conditions : []))
    .flatMap(({ not, value }) => (not ? [] : String(value)))

export const typesOf = (query: PeopleQuery): string[] => [
  ...new Set([
    ...valuesOf(query, 'type'),
    ...query.filter.flatMap(({ conditions }) => conditions.flatMap(({ type }) => type ?? [])),
    ...[query.sort.pointsFor ?? []].flat(),
  ]),
]

/** Words for which the search finds only names. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '')}"`

/** What a list shows of each person: the score, a part of it, or the points for a credential. */
export type Figure = keyof typeof SORTS | 'points'

export const figureOf = ({ sort }: PeopleQuery): Figure =>
  sort.pointsFor === undefined ? (FIGURES.find((part) => SORTS[part] === sort.field) ?? 'total') : 'points'

const FIGURES = Object.keys(SORTS) as (keyof typeof SORTS)[]
