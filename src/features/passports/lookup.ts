import { Compile } from 'typebox/schema'
import { parseFields, parsePast } from '../../core/api/parameters.ts'
import {
  type RenderedResult,
  readAll,
  readPassports,
  unitsOfPassports,
} from '../../core/api/read-passports.ts'
import { readValid } from '../../core/api/request-body.ts'
import { V3 } from '../../core/api/surface.ts'
import { waitForCursor } from '../../core/api/wait-for-cursor.ts'
import { pointerTo } from '../../core/basics/errors.ts'
import { holdBody, takeTurn } from '../../core/http/byte-budget.ts'
import { acceptsGzip, createPage, sendPage } from '../../core/http/rendered-page.ts'
import { JSON_HEADERS, stream } from '../../core/http/response.ts'
import { type Context, route } from '../../core/http/route.ts'
import { type PassportKey, parsePassportKey } from '../../core/passport/passport.ts'
import { LookupBody, LookupRequest, type WireLookupRequest } from './schemas.ts'

const NDJSON = 'application/x-ndjson'

/** Longer responses are streamed in chunks of about this many characters. */
const CHUNK_LENGTH = 64 * 1024

/** Memory of a stream whose client does not read: it contains the passports of one query to the store. */
const STREAM_BYTES = 2 * 1024 * 1024

export const lookup = route(V3, {
  name: 'v3_lookup',
  path: '/api/v3/lookup',
  methods: ['POST', 'QUERY'],
  needsKey: true,
  id: 'lookUp',
  summary: 'Look up many passports',
  description:
    'Up to 1,000 keys. One item for each key, in the order of the keys, repeats included. With `Accept: application/x-ndjson`, the response is a stream with one item per line. Each 25 keys, or part of them, count as one request of the limit; `include`, `as_of` and a large body add to it. A key is always required.',
  body: LookupRequest,
  responseHeaders: ['Vary'],
  response: LookupBody,
  errors: ['before_history', 'unsupported_media_type', 'cursor_expired'],
  handle: lookUp,
})

const lookupRequest = Compile(LookupRequest)

async function lookUp(request: Request, context: Context): Promise<Response> {
  const body = await readValid<WireLookupRequest>(request, context, lookupRequest)
  const { keys, as_of, after } = body
  const fields = parseFields(body, pointerTo)
  const asOf = as_of === undefined ? undefined : parsePast('as_of', as_of, context.now(), '#/as_of')
  const units = context.units - 1 + unitsOfPassports(keys.length, fields, asOf !== undefined)
  context.charge(units, 'ask for fewer keys')
  await waitForCursor(context, after, '#/after')
  const items = listItems(context, keys, async (some) => readPassports(context, some, fields, { asOf }))
  await takeTurn(context, STREAM_BYTES)
  return sendLookup(request, context, items)
}

type Item = { json: string; isFound: boolean }

async function* listItems(
  context: Context,
  texts: readonly string[],
  read: (keys: readonly PassportKey[]) => Promise<RenderedResult[]>,
): AsyncGenerator<Item> {
  const keys = texts.map(parsePassportKey)
  const validKeys = keys.filter((key) => key !== undefined)
  const results = readAll(validKeys, read, () => takeTurn(context))
  for (const [at, text] of texts.entries())
    yield keys[at] ? lookupItem(text, (await results.next()).value) : failed(text, 'malformed')
}

function lookupItem(key: string, result: RenderedResult): Item {
  if (!result) return failed(key, 'not_found')
  if ('candidates' in result) return failed(key, 'ambiguous', { candidates: result.candidates })
  return { json: `{"key":${JSON.stringify(key)},"passport":${result.json}}`, isFound: true }
}

const failed = (key: string, error: string, more: object = {}): Item => ({
  json: JSON.stringify({ key, error, ...more }),
  isFound: false,
})

/** Sends the items as JSON or NDJSON. NDJSON is not compressed, so that each line arrives early. */
async function sendLookup(
  request: Request,
  context: Context,
  items: AsyncGenerator<Item>,
): Promise<Response> {
  const isNdjson = request.headers.get('accept')?.includes(NDJSON)
  const chunks = toChunks(isNdjson ? toLines(items) : toJson(items))
  if (isNdjson) return sendChunks(context, NDJSON, chunks)
  const [first, second] = [await chunks.next(), await chunks.next()]
  if (!second.done) {
    const response = await sendChunks(
      context,
      'application/json',
      concat([first.value, second.value], chunks),
    )
    return acceptsGzip(request) ? compress(response) : response
  }
  const response = await sendPage(request, context, createPage(first.value ?? '', JSON_HEADERS))
  // A response to POST has no ETag.
  response.headers.delete('ETag')
  return response
}

async function sendChunks(context: Context, type: string, chunks: AsyncGenerator<string>) {
  holdBody(context, STREAM_BYTES)
  const response = await stream(context, type, chunks)
  response.headers.set('Vary', 'Accept-Encoding')
  return response
}

function compress({ body, headers }: Response): Response {
  headers.set('Content-Encoding', 'gzip')
  return new Response(body?.pipeThrough(new CompressionStream('gzip')), { headers })
}

async function* toJson(items: AsyncGenerator<Item>): AsyncGenerator<string> {
  let count = 0
  let separator = '{"items":['
  for await (const { json, isFound } of items) {
    yield separator + json
    separator = ','
    count += Number(isFound)
  }
  yield `${separator === ',' ? '' : separator}],"found":${count}}`
}

async function* toLines(items: AsyncGenerator<Item>): AsyncGenerator<string> {
  for await (const { json } of items) yield `${json}\n`
}

async function* toChunks(parts: AsyncGenerator<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const part of parts) {
    chunk += part
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

async function* concat(first: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* first
  yield* rest
}
