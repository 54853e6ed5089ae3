import {
  ClientGone,
  findUnknown,
  type InvalidValue,
  invalidValue,
  invalidValues,
  MOST_INVALID,
  pointerTo,
  ServiceError,
} from '../../domain/errors.ts'
import { quote } from '../../domain/text/quote.ts'
import { isLarge } from '../backpressure/held-bytes.ts'
import { hold, type Limited, limitStall, takeTurn } from '../backpressure/turns-and-large-pages.ts'
import { bodyTooLarge, declaredLength, MAX_BODY_BYTES } from '../parse-request.ts'
import { unitsOfBody } from '../rate-limit.ts'
import type { Context } from '../route.ts'
import { MOST_NAMES, parseFields, parsePast } from './parameters.ts'

/** Each list has at most this many entries. */
const MOST_ENTRIES = { keys: 1000, include: MOST_NAMES, select: MOST_NAMES } as const
const LISTS = ['keys', 'include', 'select'] as const
const MEMBERS = [...LISTS, 'as_of'] as const

/** Throws `invalid_request` with all invalid values. */
export function parseLookup(body: unknown, now: number) {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidBody(`The body must be an object, got ${quote(body)}.`)
  const names = Object.keys(body)
  const invalid = findUnknown('member', names, MEMBERS, (at) => pointerTo(names[at] as string))
  const given: Partial<Record<(typeof MEMBERS)[number], unknown>> = body
  for (const name of LISTS) invalid.push(...checkTexts(name, given[name]))
  const { as_of } = given
  if (as_of !== undefined && typeof as_of !== 'string')
    invalid.push({ pointer: '#/as_of', detail: `as_of must be a text, got ${quote(as_of)}.` })
  if (invalid.length > 0) throw invalidValues(invalid)
  const { keys, include, select } = given as { keys: string[]; include?: string[]; select?: string[] }
  return {
    keys,
    fields: parseFields({ include, select }, pointerTo),
    asOf: typeof as_of === 'string' ? parsePast('as_of', as_of, now, '#/as_of') : undefined,
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

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/**
 * Maximum number of quotes, commas, colons and opening brackets in a body, including those in strings. A lookup of 1,000
 * handles has 4,000 of them. Parsing a megabyte of them takes up to 70 ms.
 */
const MOST_MARKS = 10_000
const MARKS = ['"', ',', ':', '[', '{']

/** Maximum number of backslashes in a body. Parsing one takes as long as parsing 50 other characters. */
const MOST_ESCAPES = 25_000

/**
 * Returns the body, and the units that its size costs. A body without a declared size is charged after it was read. Throws
 * `unsupported_media_type`, `content_too_large` or `invalid_request`.
 */
export async function readJson(request: Request, context: Context) {
  const type = request.headers.get('content-type') ?? ''
  if (!JSON_TYPE.test(type)) throw unsupported('Content-Type must be application/json', type)
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw unsupported('Content-Encoding must be absent', encoding)
  const bytes = await readBytes(request, context)
  const units = unitsOfBody(bytes.length)
  await context.charge(1 + units)
  // Parsing takes milliseconds, so other requests may run first.
  await takeTurn(context)
  return { value: parseJson(bytes), units }
}

/** Refuses bodies that would take long to parse. */
function parseJson(bytes: Buffer): unknown {
  if (hasMore(bytes, MARKS, MOST_MARKS))
    throw invalidBody(`The body may have at most ${MOST_MARKS} quotes, commas, colons and opening brackets.`)
  if (hasMore(bytes, ['\\'], MOST_ESCAPES))
    throw invalidBody(`The body may have at most ${MOST_ESCAPES} backslashes.`)
  const text = decode(bytes)
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = (error as Error).message.replace(/^JSON Parse error: /, '').slice(0, LONGEST_REASON)
    throw invalidBody(`The body is not valid JSON: ${reason}.`)
  }
}

/** The message of the JSON parser may quote a long part of the body. */
const LONGEST_REASON = 80

const unsupported = (rule: string, got: string) =>
  new ServiceError('unsupported_media_type', `${rule}, got ${quote(got)}.`)

const invalidBody = (detail: string) => invalidValue('#', detail)

/** Counts a large body, or one of unknown size, as used memory while reading. Disconnects clients that stop sending. */
async function readBytes(request: Request, context: Limited): Promise<Buffer> {
  const length = declaredLength(request)
  const release = length === 0 || isLarge(length) ? hold(context, length || MAX_BODY_BYTES) : undefined
  if (release) limitStall(context, true)
  try {
    return length === 0 ? await readChunks(request) : Buffer.from(await request.arrayBuffer())
  } catch (error) {
    if (request.signal.aborted) throw new ClientGone()
    throw error
  } finally {
    if (release) limitStall(context, false)
    release?.()
  }
}

/** A chunked body has no Content-Length: its size is unknown until it is read. */
async function readChunks(request: Request): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body ?? []) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) throw bodyTooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Whether the characters occur more often than `most`. `indexOf` is ten times as fast as a loop over all bytes. */
function hasMore(bytes: Buffer, characters: readonly string[], most: number): boolean {
  let count = 0
  for (const character of characters) {
    const code = character.charCodeAt(0)
    for (let at = bytes.indexOf(code); at !== -1; at = bytes.indexOf(code, at + 1))
      if (++count > most) return true
  }
  return false
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidBody('The body is not valid UTF-8.')
  }
}
