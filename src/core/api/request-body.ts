import type { TObject } from 'typebox'
import type { Validator } from 'typebox/schema'
import { ClientGone, invalidValue, invalidValues, pointerTo, ServiceError } from '../basics/errors.ts'
import { describeUnknown } from '../basics/text/nearest-name.ts'
import { quote } from '../basics/text/quote.ts'
import { holdBody, IDLE_SECONDS, type Limited, SMALL_BYTES, takeTurn } from '../http/byte-budget.ts'
import { bodyTooLarge, declaredLength, MAX_BODY_BYTES } from '../http/parse-request.ts'
import { unitsOfBody } from '../http/rate-limit.ts'
import type { Context } from '../http/route.ts'
import { describeProblems } from '../passport/validation-problem.ts'

/** Maximum number of MARKS. A lookup of 1,000 handles has 4,000. Parsing a megabyte of them takes 70 ms. */
const MOST_MARKS = 10_000
const MARKS = ['"', ',', ':', '[', '{']

/** Maximum number of backslashes in a body. Parsing one takes as long as parsing 50 other characters. */
const MOST_ESCAPES = 25_000

/** Returns a JSON body that the schema accepts. Throws `invalid_request` and the errors of `readBody`. */
export async function readValid<Body>(request: Request, context: Context, schema: Validator): Promise<Body> {
  const { bytes } = await readBody(request, context, ['application/json'])
  const value = parseJson(bytes)
  if (schema.Check(value)) return value as Body
  const members = Object.keys((schema.Schema() as TObject).properties)
  throw invalidValues(
    describeProblems(value, schema.Errors(value)[1]).map(({ field, reason }) => {
      const [name = '', ...path] = field.split('.')
      if (name === '') return { pointer: '#', detail: `The body ${reason}.` }
      const detail = members.includes(name) ? `${field} ${reason}.` : describeUnknown('member', name, members)
      return { pointer: pointerTo(name, ...path), detail }
    }),
  )
}

/**
 * Returns a body of one of these types. A body without a declared size is charged after it was read. Throws
 * `unsupported_media_type` or `content_too_large`.
 */
export async function readBody<Type extends string>(
  request: Request,
  context: Context,
  types: readonly Type[],
) {
  const header = request.headers.get('content-type') ?? ''
  const type = types.find((candidate) => header.split(';', 1)[0]?.trim().toLowerCase() === candidate)
  if (type === undefined) throw unsupported(`Content-Type must be ${types.join(' or ')}`, header)
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw unsupported('Content-Encoding must be absent', encoding)
  const bytes = await readBytes(request, context)
  context.charge(1 + unitsOfBody(bytes.length))
  // Parsing takes milliseconds, so other requests may run first.
  await takeTurn(context, bytes.length)
  return { bytes, type }
}

export function parseJson(bytes: Buffer, mostMarks = MOST_MARKS): unknown {
  if (hasMore(bytes, MARKS, mostMarks))
    throw invalidBody(`The body may have at most ${mostMarks} quotes, commas, colons and opening brackets.`)
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

export const invalidBody = (detail: string) => invalidValue('#', detail)

/** Takes the bytes of the body before reading it. Clients that stop sending a large one are disconnected. */
async function readBytes(request: Request, context: Limited): Promise<Buffer> {
  const length = declaredLength(request)
  const most = length || MAX_BODY_BYTES
  await takeTurn(context, most)
  holdBody(context, most)
  try {
    return length === 0 ? await readChunks(request) : Buffer.from(await request.arrayBuffer())
  } catch (error) {
    if (request.signal.aborted) throw new ClientGone()
    throw error
  } finally {
    if (most > SMALL_BYTES) context.server.timeout(request, IDLE_SECONDS)
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
