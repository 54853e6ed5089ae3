import { ServiceError } from '../../domain/errors.ts'
import type { Filter, FilterField } from '../../domain/lists/filter.ts'
import { type ListQuery, parseKeyword, parsePageNumber, toWords } from '../../domain/lists/list-request.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import { quote } from '../../domain/text/quote.ts'
import { LONGEST_VALUE } from '../design/text.ts'

/** The sort orders of the page, each with its sort field in v3. */
export const SORTS = {
  total: 'score',
  activity: 'activity_score',
  identity: 'identity_score',
  skills: 'skills_score',
} as const

export type RankingSort = keyof typeof SORTS

/** The filter parameters of the page, each with its filter field in v3. */
export const FILTERS = { tag: 'tag', credential: 'type', place: 'location', human: 'human' } as const

export type FilterName = keyof typeof FILTERS

/** The parsed query of the ranking page. Filter values are as typed, without duplicates. */
export type RankingQuery = {
  /** The search text; empty without a search. */
  typed: string
  /** The folded words of the search text; a name may have them in any order. */
  keyword: string | undefined
  filters: Readonly<Record<FilterName, readonly string[]>>
  sort: RankingSort
  page: number
}

export const PAGE_SIZE = 20

const MOST_VALUES: Record<FilterName, number> = { tag: 5, credential: 5, place: 1, human: 1 }

/** Throws `invalid_request` for values that are not accepted. Blank values and unknown parameters are ignored. */
export function parseRankingQuery(query: URLSearchParams): RankingQuery {
  const text = (query.get('q') ?? '').trim()
  const keyword = parseKeyword(text, 'q')
  return {
    typed: keyword === undefined ? '' : text,
    keyword: keyword && toWords(keyword),
    filters: {
      tag: parseValues(query, 'tag'),
      credential: parseValues(query, 'credential'),
      place: parseValues(query, 'place'),
      human: parseValues(query, 'human').map((text) =>
        parseChoice('human', foldName(text), ['true', 'false']),
      ),
    },
    sort: parseChoice('sort', query.get('sort') || 'total', Object.keys(SORTS) as RankingSort[]),
    page: parsePageNumber(query.get('page')),
  }
}

function parseValues(query: URLSearchParams, name: FilterName): string[] {
  const values = new Map<string, string>()
  for (const given of new Set(query.getAll(name))) {
    const value = given.trim()
    if (value.length > LONGEST_VALUE)
      throw refuse(`${name} must be at most ${LONGEST_VALUE} characters, got ${value.length}.`)
    const folded = foldName(value)
    if (folded !== '') values.set(folded, value)
    if (values.size > MOST_VALUES[name])
      throw refuse(`${name} may be given ${MOST_VALUES[name]} times at most, got more.`)
  }
  return [...values.values()]
}

function parseChoice<T extends string>(name: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((each) => each === text)
  if (choice !== undefined) return choice
  const accepted = choices.length === 2 ? choices.join(' or ') : `one of ${choices.join(', ')}`
  throw refuse(`${name} must be ${accepted}, got ${quote(text)}.`)
}

const refuse = (message: string) => new ServiceError('invalid_request', message)

export const ALL_PASSPORTS = parseRankingQuery(new URLSearchParams())

/** Returns the URL of the ranking page. Defaults are left out. */
export function addressOf({ typed, filters, sort, page }: RankingQuery): string {
  const query = new URLSearchParams()
  if (typed !== '') query.set('q', typed)
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

/** Adds a filter and returns to page 1. If the filter allows only one value, the new value replaces the old one. */
export function withFilter(query: RankingQuery, name: FilterName, value: string): RankingQuery {
  const before = MOST_VALUES[name] === 1 ? [] : query.filters[name]
  return { ...query, page: 1, filters: { ...query.filters, [name]: [...before, value] } }
}

/** The first page of the list with another search text. */
export const withText = (query: RankingQuery, typed: string): RankingQuery => ({
  ...query,
  typed,
  keyword: typed === '' ? undefined : toWords(foldName(typed)),
  page: 1,
})

export function withoutFilter(query: RankingQuery, name: FilterName, value: string): RankingQuery {
  const values = query.filters[name].filter((each) => each !== value)
  return { ...query, page: 1, filters: { ...query.filters, [name]: values } }
}

export const hasFilter = ({ filters }: RankingQuery, name: FilterName, folded: string): boolean =>
  filters[name].some((value) => foldName(value) === folded)

/** Whether the list needs the facet index; the ranking by total score does not. */
export const needsIndex = ({ filters, sort }: RankingQuery): boolean =>
  sort !== 'total' || filtersOf(filters).length > 0

/** The query of the same list in v3. */
export const toListQuery = ({ keyword, filters, sort }: RankingQuery): ListQuery => ({
  keyword,
  filter: toFilter(filters),
  sort: { field: SORTS[sort], descending: true },
})

export const toFilter = (filters: RankingQuery['filters']): Filter =>
  filtersOf(filters).map(([name, value]) => equals(FILTERS[name], value))

export const equals = (field: FilterField, value: string) => ({
  field,
  conditions: [{ not: false, operator: '=' as const, value: foldName(value) }],
})
