import { ClientGone, ServiceError } from '../../domain/errors.ts'
import { findJsonError } from '../../domain/text/json-error.ts'
import { quote } from '../../domain/text/quote.ts'
import { invalidValues } from '../../domain/v3/invalid.ts'
import { hold, type Limited, limitStall, takeTurn } from '../backpressure/backpressure.ts'
import { isLarge } from '../backpressure/held-bytes.ts'
import { bodyTooLarge, MAX_BODY_BYTES } from '../request.ts'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Parsing a million lists takes a tenth of a second. Brackets in texts count, too. */
const MOST_BRACKETS = 10_000

/** In a longer text, the position of a syntax error is not searched: the search takes as long as parsing. */
const LONGEST_LOCATED = 64 * 1024

/** The body as a JSON value. Throws `unsupported_media_type`, `content_too_large` or `invalid_request`. */
export async function readJson(request: Request, context: Limited): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!JSON_TYPE.test(type)) throw unsupported('Content-Type must be application/json', type)
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  if (encoding !== 'identity') throw unsupported('Content-Encoding must be absent', encoding)
  const bytes = await readBytes(request, context)
  // Parsing takes milliseconds.
  await takeTurn(context)
  if (hasManyBrackets(bytes)) throw invalidBody(`The body has more than ${MOST_BRACKETS} lists and objects.`)
  const text = decode(bytes)
  try {
    return JSON.parse(text)
  } catch {
    if (text.length > LONGEST_LOCATED) throw invalidBody('The body is not valid JSON.')
    const at = findJsonError(text)
    const received = at >= text.length ? 'the end' : quote(text.slice(at, at + 20))
    throw invalidBody(`The body is not valid JSON at character ${at + 1}: unexpected ${received}.`)
  }
}

const unsupported = (rule: string, got: string) =>
  new ServiceError('unsupported_media_type', `${rule}, got ${quote(got)}.`)

const invalidBody = (detail: string) => invalidValues([{ pointer: '#', detail }])

/** A chunked body has no Content-Length: its size is known after it was read. A large body must arrive within seconds. */
async function readBytes(request: Request, context: Limited): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  let release: (() => void) | undefined
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.length
      if (size > MAX_BODY_BYTES) throw bodyTooLarge()
      if (isLarge(size)) release ??= holdBody(context)
      chunks.push(chunk)
    }
  } catch (error) {
    if (request.signal.aborted) throw new ClientGone()
    throw error
  } finally {
    if (release) limitStall(context, false)
    release?.()
  }
  return Buffer.concat(chunks)
}

function holdBody(context: Limited): () => void {
  const release = hold(context, MAX_BODY_BYTES)
  limitStall(context, true)
  return release
}

function hasManyBrackets(bytes: Uint8Array): boolean {
  let brackets = 0
  // Several times as fast as an iterator.
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === 0x5b || bytes[at] === 0x7b) brackets++
  return brackets > MOST_BRACKETS
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw invalidBody('The body is not valid UTF-8.')
  }
}
