import type { Static } from 'typebox'
import {
  findUnknown,
  type InvalidValue,
  invalidValues,
  MOST_INVALID,
  pointerTo,
} from '../../domain/errors.ts'
import { quote } from '../../domain/text/quote.ts'
import type { LookupRequest } from '../../domain/v3/schemas.ts'
import { MOST_NAMES, parseFields, parsePast } from './parameters.ts'
import { invalidBody } from './request-body.ts'

/** Each list has at most this many entries. */
const MOST_ENTRIES = { keys: 1000, include: MOST_NAMES, select: MOST_NAMES } as const
const LISTS = ['keys', 'include', 'select'] as const
const TEXTS = ['as_of', 'after'] as const
const MEMBERS = [...LISTS, ...TEXTS] as const

/** Throws `invalid_request` with all invalid values. */
export function parseLookup(body: unknown, now: number) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidBody(`The body must be an object, got ${quote(body)}.`)
  const names = Object.keys(body)
  const invalid = findUnknown('member', names, MEMBERS, (at) => pointerTo(names[at] as string))
  const given: Partial<Record<(typeof MEMBERS)[number], unknown>> = body
  for (const name of LISTS) invalid.push(...checkTexts(name, given[name]))
  for (const name of TEXTS)
    if (given[name] !== undefined && typeof given[name] !== 'string')
      invalid.push({ pointer: pointerTo(name), detail: `${name} must be a text, got ${quote(given[name])}.` })
  if (invalid.length > 0) throw invalidValues(invalid)
  const { keys, include, select, as_of, after } = given as Static<typeof LookupRequest>
  return {
    keys,
    after,
    fields: parseFields({ include, select }, pointerTo),
    asOf: as_of !== undefined ? parsePast('as_of', as_of, now, '#/as_of') : undefined,
  }
}

/** Only `keys` is required. */
function checkTexts(name: (typeof LISTS)[number], value: unknown): InvalidValue[] {
  if (value === undefined && name !== 'keys') return []
  const examples = name === 'keys' ? ' such as "42", "0x…" or "github:zoe"' : ''
  if (!Array.isArray(value)) {
    const [pointer, got] = value === undefined ? ['#', 'nothing'] : [pointerTo(name), quote(value)]
    return [{ pointer, detail: `${name} must be a list of texts${examples}, got ${got}.` }]
  }
  if (value.length > MOST_ENTRIES[name]) {
    const detail = `${name} may have at most ${MOST_ENTRIES[name]} entries, got ${value.length}.`
    return [{ pointer: pointerTo(name), detail }]
  }
  return [...value.entries()]
    .filter(([, each]) => typeof each !== 'string')
    .slice(0, MOST_INVALID)
    .map(([at, each]) => ({
      pointer: pointerTo(name, at),
      detail: `${name} must have texts${examples}, got ${quote(each)}.`,
    }))
}
