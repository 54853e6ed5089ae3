import {
  findUnknown,
  invalidParameter,
  invalidValue,
  invalidValues,
  LONGEST_POINTER,
  ServiceError,
} from '../basics/errors.ts'
import { parseInstant } from '../basics/text/instant.ts'
import { quote } from '../basics/text/quote.ts'
import { presentTime } from '../history/present-event.ts'
import { pathOf, queryTextOf } from '../http/parse-request.ts'
import type { Query, RouteRequest } from '../http/route.ts'
import { type PassportKey, parsePassportKey } from '../passport/passport.ts'
import { Passport } from './schemas.ts'

/** These limits bound the work for a long query. No endpoint has more parameters, and no list has more names. */
const MOST_PARAMETERS = 100
const MOST_NAMES = 100

/** The query parameters by name. Throws `invalid_request` for unknown, repeated and malformed ones. */
export function parametersOf(request: RouteRequest, accepted: readonly string[]): Query {
  const { url, params } = request
  if (url.includes('%')) decodeText(pathOf(request), `{${Object.keys(params)[0]}}`)
  const text = queryTextOf(request)
  if (text === '') return {}
  const pairs = parsePairs(text)
  const names = pairs.map(([name]) => name)
  const repeated = accepted.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const invalid = [
    ...findUnknown('parameter', names, accepted, (at) => pointerTo(names[at] ?? '')),
    ...repeated.map((name) => ({
      pointer: `?${name}`,
      detail: `${name} may be given once, got ${names.filter((other) => other === name).length} values.`,
    })),
  ]
  if (invalid.length > 0) throw invalidValues(invalid)
  return Object.fromEntries(pairs)
}

/** The names in a comma-separated list; `undefined` without a list. */
export function parseNames(parameter: string, text: string | undefined): string[] | undefined {
  const names = text?.split(',', MOST_NAMES + 1)
  const repeated = parameter === 'include' ? names?.find((name, at) => names.indexOf(name) !== at) : undefined
  if (repeated !== undefined)
    throw invalidParameter(parameter, `${parameter} must name each part once, got ${quote(repeated)} twice.`)
  if (!names || names.length <= MOST_NAMES) return names
  throw invalidParameter(parameter, `${parameter} may have at most ${MOST_NAMES} names, got more.`)
}

function parsePairs(query: string): [name: string, value: string][] {
  const parts = query.split('&', MOST_PARAMETERS + 1)
  if (parts.length > MOST_PARAMETERS)
    throw invalidValue('?', `The query may have at most ${MOST_PARAMETERS} parameters, got more.`)
  return parts.filter(Boolean).map((part) => {
    const [name = ''] = part.split('=', 1)
    const decode = (text: string) => decodeText(text.replace(/\+/g, ' '), pointerTo(name))
    return [decode(name), decode(part.slice(name.length + 1))]
  })
}

/** If the name is too long, the pointer names the whole query. */
const pointerTo = (name: string) => (name.length > LONGEST_POINTER ? '?' : `?${name}`)

function decodeText(text: string, pointer: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    const detail = `A percent escape must be a byte of UTF-8 text such as %C3%A9, got ${quote(text)}.`
    throw invalidValue(pointer, detail)
  }
}

export function fieldsOf({ include, select }: { include?: string; select?: string }): Fields {
  if (include === undefined && select === undefined) return DEFAULT_FIELDS
  const lists = { include: parseNames('include', include), select: parseNames('select', select) }
  return parseFields(lists, (name) => `?${name}`)
}

export function parseKeyParameter(text: string, pointer = '{key}'): PassportKey {
  const key = parsePassportKey(text)
  if (key) return key
  const accepted = 'an id, a wallet address, or a source and a name such as github:zoe'
  throw invalidValue(pointer, `A key must be ${accepted}, got ${quote(text)}.`)
}

export function noPassport(key: string, time?: number): ServiceError {
  const at = time === undefined ? '' : ` at ${presentTime(time)}`
  return new ServiceError('not_found', `There is no passport ${quote(key)}${at}.`)
}

/** Returns the passport if the key found exactly one. Throws `not_found` or `ambiguous`. */
export function onlyOne<Found extends object>(
  key: string,
  match: Found | { candidates: number[] } | undefined,
  time?: number,
): Found {
  if (!match) throw noPassport(key, time)
  if (!('candidates' in match)) return match
  const { candidates } = match
  const detail = `${quote(key)} is a handle of the passports ${candidates.join(', ')}: use an id.`
  throw new ServiceError('ambiguous', detail, { members: { candidates } })
}

/** Matches a day alone, or a time that ends with its offset. */
const DAY_OR_OFFSET = /^.{10}$|(?:Z|[+-]\d\d:?\d\d)$/i

/** Parses a day (its start in UTC) or a time with its offset. Throws `invalid_request`, also for the future. */
export function parsePast(name: string, text: string, now: number, pointer = `?${name}`): number {
  const time = DAY_OR_OFFSET.test(text) ? parseInstant(text) : undefined
  if (time !== undefined && time <= now) return time
  const detail =
    time === undefined
      ? `${name} must be a day such as 2026-10-01 or a time with its offset such as 2026-10-01T12:00:00Z, got ${quote(text)}.`
      : `${name} must not be in the future, got ${quote(text)}; it is ${presentTime(now)} now.`
  throw invalidValue(pointer, detail)
}

export function checkKnown(name: string, time: number, knownSince: number): void {
  if (time >= knownSince) return
  const known_since = presentTime(knownSince)
  const message = `${name} is ${presentTime(time)}, but changes are known since ${known_since}.`
  throw new ServiceError('before_history', message, { members: { known_since } })
}

export const INCLUDES = ['credentials', 'standing', 'explanation'] as const

export type Include = (typeof INCLUDES)[number]

export type Fields = { includes: ReadonlySet<Include>; selection: readonly string[] | undefined }

const DEFAULT_FIELDS: Fields = { includes: new Set(), selection: undefined }

type Given = { include?: readonly string[] | undefined; select?: readonly string[] | undefined }

/**
 * A part named in `select` is also included, and a part named in `include` is also selected. Throws `invalid_request`.
 * `pointerOf` returns the pointer to entry `at` of a list.
 */
export function parseFields(
  { include = [], select }: Given,
  pointerOf: (name: keyof Given, at: number) => string,
): Fields {
  const invalid = [
    ...findUnknown('value of include', include, INCLUDES, (at) => pointerOf('include', at)),
    ...findUnknown('field', select ?? [], PATHS, (at) => pointerOf('select', at)),
  ]
  if (invalid.length > 0) throw invalidValues(invalid)
  const names = new Set([...(select ?? []), ...include])
  const roots = new Set([...names].map((path) => path.split('.', 1)[0]))
  return {
    includes: new Set(INCLUDES.filter((name) => roots.has(name))),
    selection: select && [...names],
  }
}

type Shape = { properties?: Record<string, Shape>; items?: Shape; anyOf?: Shape[] }

const pathsOf = ({ properties = {} }: Shape): string[] =>
  Object.entries(properties).flatMap(([name, inner]) => [
    name,
    ...pathsOf(inner.items ?? inner.anyOf?.[0] ?? inner).map((path) => `${name}.${path}`),
  ])

export const PATHS = pathsOf(Passport as Shape)
