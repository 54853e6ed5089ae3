import { ServiceError } from '../../domain/errors.ts'
import {
  findUnknown,
  invalidParameter,
  invalidValues,
  LONGEST_POINTER,
} from '../../domain/invalid-parameter.ts'
import { type PassportKey, parsePassportKey } from '../../domain/passport.ts'
import { parseInstant } from '../../domain/text/instant.ts'
import { quote } from '../../domain/text/quote.ts'
import { type Fields, parseFields } from '../../domain/v3/fields.ts'
import { presentTime } from '../../domain/v3/present-event.ts'
import { pathOf, queryTextOf } from '../request.ts'
import type { Query, RouteRequest } from '../route.ts'

/** The parameters of V1 that have another name in v3. */
const V1_NAMES = new Map([
  ['keyword', 'q'],
  ['page', 'cursor'],
  ['per_page', 'limit'],
])

/** No endpoint has more parameters, and no list more names: the work for a long query is bounded. */
const MOST_PARAMETERS = 100
export const MOST_NAMES = 100

/**
 * The query parameters by name. Throws `invalid_request` if one is unknown or repeated, or if the path or the query has a
 * malformed percent escape.
 */
export function parametersOf<Name extends string>(
  request: RouteRequest,
  known: readonly Name[],
): Query<Name> {
  checkPath(request)
  const pairs = parsePairs(queryTextOf(request))
  const names = pairs.map(([name]) => name)
  const renamed = [...V1_NAMES].filter(([old, name]) => names.includes(old) && known.includes(name as Name))
  const others = names.filter((name) => renamed.every(([old]) => old !== name))
  const repeated = known.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const invalid = [
    ...renamed.map(([old, name]) => ({
      pointer: `?${old}`,
      detail: `${quote(old)} is a parameter of V1: use ${name}.`,
    })),
    ...findUnknown('parameter', others, known, (at) => pointerTo(others[at] ?? '')),
    ...repeated.map((name) => ({
      pointer: `?${name}`,
      detail: `${name} may be given once, got ${names.filter((each) => each === name).length} values.`,
    })),
  ]
  if (invalid.length > 0) throw invalidValues(invalid)
  return Object.fromEntries(pairs) as Query<Name>
}

/** The names in a list with commas. */
export function parseNames(parameter: string, text: string): string[] {
  const names = text.split(',', MOST_NAMES + 1)
  if (names.length <= MOST_NAMES) return names
  throw invalidParameter(parameter, `${parameter} may have at most ${MOST_NAMES} names, got more.`)
}

/** The names and values of a query, decoded. */
function parsePairs(query: string): [name: string, value: string][] {
  if (query === '') return []
  const parts = query.split('&', MOST_PARAMETERS + 1)
  if (parts.length > MOST_PARAMETERS) {
    const detail = `The query may have at most ${MOST_PARAMETERS} parameters, got more.`
    throw invalidValues([{ pointer: '?', detail }])
  }
  return parts.filter(Boolean).map((part) => {
    const [name = ''] = part.split('=', 1)
    const decode = (text: string) => decodeText(text.replace(/\+/g, ' '), pointerTo(name))
    return [decode(name), decode(part.slice(name.length + 1))]
  })
}

/** A long name is left out: the pointer is then that of the query. */
const pointerTo = (name: string) => (name.length > LONGEST_POINTER ? '?' : `?${name}`)

function checkPath(request: RouteRequest): void {
  if (request.url.includes('%')) decodeText(pathOf(request), `{${Object.keys(request.params)[0]}}`)
}

function decodeText(text: string, pointer: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    const detail = `A percent escape must be a byte of UTF-8 text such as %C3%A9, got ${quote(text)}.`
    throw invalidValues([{ pointer, detail }])
  }
}

/** The fields that the parameters `include` and `select` name; both are lists with commas. */
export function fieldsOf({ include, select }: { include?: string; select?: string }): Fields {
  const given = {
    include: include === undefined ? undefined : parseNames('include', include),
    select: select === undefined ? undefined : parseNames('select', select),
  }
  return parseFields(given, (name) => `?${name}`)
}

export const KEY_FORMS = 'an id, a wallet address, or a source and a name such as github:zoe'

/** Throws `invalid_request` if the key is malformed. */
export function parseKey(text: string, pointer = '{key}'): PassportKey {
  const key = parsePassportKey(text)
  if (key) return key
  throw invalidValues([{ pointer, detail: `A key must be ${KEY_FORMS}, got ${quote(text)}.` }])
}

export const noPassport = (key: string, time?: number) =>
  new ServiceError(
    'not_found',
    time === undefined
      ? `There is no passport ${quote(key)}.`
      : `There is no passport ${quote(key)} at ${presentTime(time)}.`,
  )

export const ambiguous = (key: string, candidates: readonly number[]) =>
  new ServiceError('ambiguous', `${quote(key)} is a handle of several passports: use an id.`, {
    members: { candidates },
  })

/** A day alone, or the end of a time with its offset. */
const DAY_OR_OFFSET = /^.{10}$|(?:Z|[+-]\d\d:?\d\d)$/i

/** A day, which is its first moment in UTC, or a time with its offset, that is not in the future. Throws `invalid_request`. */
export function parsePast(name: string, text: string, now: number, pointer = `?${name}`): number {
  const time = DAY_OR_OFFSET.test(text) ? parseInstant(text) : undefined
  if (time === undefined) {
    const detail = `${name} must be a day such as 2026-10-01 or a time with its offset such as 2026-10-01T12:00:00Z, got ${quote(text)}.`
    throw invalidValues([{ pointer, detail }])
  }
  if (time <= now) return time
  const detail = `${name} must not be in the future, got ${quote(text)}; it is ${presentTime(now)} now.`
  throw invalidValues([{ pointer, detail }])
}

/** Throws `before_history` if states at the time are unknown. */
export function checkKnown(name: string, time: number, knownSince: number): void {
  if (time >= knownSince) return
  const since = presentTime(knownSince)
  throw new ServiceError(
    'before_history',
    `${name} is ${presentTime(time)}, but changes are known since ${since}.`,
    {
      members: { known_since: since },
    },
  )
}
