import { foldName } from '../../../core/basics/text/fold-name.ts'
import { equals, formatFilter } from '../../../core/lists/filter.ts'
import { addressOf, parsePeopleQuery, SORTS } from '../../../ui/list-address.ts'

const FIELDS = { tag: 'tag', place: 'location', credential: 'type', human: 'human' } as const
const NAMES = [...Object.keys(FIELDS), 'points', 'score']

/** Returns the address of today for an earlier one, with a parameter for each field: `tag=zk&score=>20&sort=skills`. */
export function replaceOldAddress(query: URLSearchParams): string | undefined {
  const sort = query.get('sort') ?? ''
  const isOldSort = sort === 'points' || Object.hasOwn(SORTS, sort)
  const isOld = isOldSort || query.getAll('filter').length > 1 || NAMES.some((name) => query.has(name))
  if (!isOld) return undefined
  const terms = Object.entries(FIELDS).flatMap(([name, field]) =>
    query.getAll(name).map((value) => foldName(value) && formatFilter([equals(field, value)])),
  )
  const compared = ['points', 'score'].flatMap((name) =>
    query.getAll(name).flatMap((text) => toFilterTerms(name, text)),
  )
  const type = foldName(query.get('credential') ?? query.get('points')?.replace(/[<>].*/s, '') ?? '')
  const sorts: Record<string, string> = { ...SORTS, points: type === '' ? 'score' : `points:${type}` }
  const parameters = {
    q: query.get('q') ?? '',
    filter: [...query.getAll('filter'), ...terms, ...compared].filter(Boolean).join(','),
    sort: isOldSort ? `-${sorts[sort]}` : sort,
    page: query.get('page') ?? '',
  }
  return addressOf(parsePeopleQuery(new URLSearchParams(parameters)))
}

/** "github>20" are points for GitHub, "skills>20" is a part of the score, and ">=120<250" is a range. */
function toFilterTerms(name: string, text: string): string[] {
  const [, type = '', bounds = ''] = /^([^<>]*)(.*)$/s.exec(text) ?? []
  const part = type.trim() === '' ? 'score:' : `${type.trim()}_score:`
  const field = name === 'points' ? `points:${type.trim()}` : part
  return (bounds.match(/[<>]=?[^<>]*/g) ?? []).map((bound) => `${field}${bound.replaceAll(' ', '')}`)
}
