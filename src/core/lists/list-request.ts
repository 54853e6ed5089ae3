import { invalidParameter } from '../basics/errors.ts'
import { foldName } from '../basics/text/fold-name.ts'
import { quote } from '../basics/text/quote.ts'
import { digest } from '../basics/text/stable-id.ts'
import type { Filter } from './filter.ts'

export const SORT_FIELDS = [
  'score',
  'activity_score',
  'identity_score',
  'skills_score',
  'passport_id',
] as const
export const GROUP_FIELDS = ['type', 'tag', 'location', 'source', 'human', 'rules'] as const

/** Sorts of passports that have changed since a time: by rise, by fall, and new passports by time, the latest first. */
export const MOVERS_SORTS = ['-change', 'change', '-added'] as const

export type SortField = (typeof SORT_FIELDS)[number]
export type GroupField = (typeof GROUP_FIELDS)[number]
export type MoversSort = (typeof MOVERS_SORTS)[number]

/**
 * Passports with equal scores are sorted by id. An ascending list is the exact reverse of a descending one. With
 * `pointsFor`, a list is sorted by the points for credentials of this folded type, then by `field`, which is the score.
 */
export type Sort = { field: SortField; descending: boolean; pointsFor?: string | undefined }

/** A position in a sorted list. `value` is the value of the sort field. A list by points also has the score. */
export type Position = { value: number; id: number; score?: number }

/** Selects and sorts passports; `keyword` is folded. */
export type ListQuery = { keyword?: string | undefined; filter: Filter; sort: Sort }

/** All passports, the highest score first. */
export const RANKING = { filter: [], sort: { field: 'score', descending: true } } as const

/** A page of the passports that have changed since a time. */
export type MoversRequest = {
  sort: MoversSort
  since: number
  after?: Position | undefined
  limit: number
  offset?: number
}

export type ScoreField = Exclude<SortField, 'passport_id'>

export const DEFAULT_LIMIT = 25
export const LARGEST_LIMIT = 250

/** Passports per read. They take at most 1.6 MB. */
export const CHUNK = 50

const refuse = (name: string, accepted: string, received: string) =>
  invalidParameter(name, `${name} must be ${accepted}, got ${quote(received)}.`)

/** `parts` names the parts of passports whose inclusion lowers the limit. Only the error message uses it. */
export function parseLimit(
  text: string | undefined,
  fallback: number,
  largest: number,
  parts: readonly string[] = [],
): number {
  if (text === undefined) return fallback
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0
  if (limit >= 1 && limit <= largest) return limit
  const reason = parts.length === 0 ? '' : ` for pages with ${parts.join(' and ')}`
  throw refuse('limit', `a whole number from 1 to ${largest}${reason}`, text)
}

/** The highest score first, unless `text` says otherwise. */
export function parseSort(text = '-score'): Sort {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const field = SORT_FIELDS.find((field) => field === name)
  if (field) return { field, descending }
  const pointsFor = foldName(/^points:(.*)$/s.exec(name)?.[1] ?? '')
  if (pointsFor !== '') return { field: 'score', descending, pointsFor }
  const fields = `${SORT_FIELDS.join(', ')} or points:github, with a minus sign in front for the highest first`
  throw refuse('sort', `one of ${fields}, or with since one of ${MOVERS_SORTS.join(', ')}`, text)
}

export const formatSort = ({ field, descending, pointsFor }: Sort): string =>
  `${descending ? '-' : ''}${pointsFor === undefined ? field : `points:${pointsFor}`}`

export const MOST_GROUP_FIELDS = 5

/** Parses up to five fields, such as `tag,location`, and what their values begin with. */
export function parseGroups(text: string | undefined, prefix: string | undefined) {
  if (text === undefined) {
    if (prefix === undefined) return undefined
    throw invalidParameter('group_prefix', 'group_prefix needs group_by.')
  }
  const begin = parseKeyword(prefix, 'group_prefix')
  const names = text.split(',', MOST_GROUP_FIELDS + 1)
  const fields = GROUP_FIELDS.filter((field) => names.includes(field))
  if (fields.length < names.length || names.length > MOST_GROUP_FIELDS)
    throw refuse(
      'group_by',
      `one of ${GROUP_FIELDS.join(', ')}, or up to ${MOST_GROUP_FIELDS} different ones with commas between them`,
      text,
    )
  return names.map((name) => ({ field: name as GroupField, prefix: begin }))
}

/** Identifies the list to which a cursor belongs. */
const hashOf = ({ keyword, filter, sort }: ListQuery) => digest(JSON.stringify([keyword, filter, sort]))

/** The position and the hash of the query, in base64url. */
export const formatCursor = (query: ListQuery, { value, id, score }: Position): string =>
  toBase64Url(`${value} ${id} ${hashOf(query)}${score === undefined ? '' : ` ${score}`}`)

const NUMBER = String.raw`(-?\d{1,22}(?:\.\d{1,25})?(?:e[+-]\d{1,3})?)`
const CURSOR = new RegExp(`^${NUMBER} (\\d{1,16}) ([0-9a-f]{8})(?: ${NUMBER})?$`)

/** Throws `invalid_request` if the cursor is malformed or belongs to another query. */
export function parseCursor(query: ListQuery, text: string): Position {
  const decoded = Buffer.from(text, 'base64url').toString()
  const [, value, id, hash, score] = CURSOR.exec(decoded) ?? []
  const position = { value: Number(value), id: Number(id), ...(score && { score: Number(score) }) }
  // The decoder ignores characters that are not base64url.
  if (!Number.isSafeInteger(position.id) || toBase64Url(decoded) !== text) {
    throw refuse('cursor', 'the value of "next" in the previous page', text)
  }
  if (hash === hashOf(query)) return position
  const advice = 'repeat those of the first page, or start without a cursor.'
  throw invalidParameter(
    'cursor',
    `cursor belongs to a list with another q, filter, sort or since: ${advice}`,
  )
}

const toBase64Url = (text: string) => Buffer.from(text).toString('base64url')

const LONGEST_KEYWORD = 200

/** Returns the folded keyword of a parameter, or `undefined` if it has no text to search for. */
export function parseKeyword(text: string | null | undefined, name = 'keyword'): string | undefined {
  if (text === null || text === undefined) return undefined
  const length = [...text].length
  if (length > LONGEST_KEYWORD) {
    const detail = `${name} must be at most ${LONGEST_KEYWORD} characters, got ${length}.`
    throw invalidParameter(name, detail)
  }
  return foldName(text) || undefined
}

/** Separates the words of a keyword, which a name must contain in any order. Folded text contains no line feed. */
const SEPARATOR = '\n'

export const toWords = (keyword: string): string => [...new Set(keyword.split(' '))].join(SEPARATOR)

/** The texts that a name must contain, the longest first. The APIs do not split a keyword into words. */
export const keywordParts = (keyword: string): string[] =>
  keyword.split(SEPARATOR).sort((a, b) => b.length - a.length)

export type PageRequest = { page: number; size: number }

export function parsePageNumber(text: string | null): number {
  const number = parseCount('page', text) ?? 1
  if (!Number.isSafeInteger(number)) throw refuse('page', `at most ${Number.MAX_SAFE_INTEGER}`, `${text}`)
  return number
}

export const parsePageSize = (name: string, text: string | null): number =>
  Math.min(parseCount(name, text) ?? DEFAULT_LIMIT, LARGEST_LIMIT)

/** An empty list has one page, so that a client that reads up to the last page terminates. */
export const lastPage = (total: number, size: number): number => Math.max(1, Math.ceil(total / size))

function parseCount(name: string, text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count < 1) throw refuse(name, 'a whole number from 1', text)
  return count
}
