import { CHUNK } from '../../catalog/chunks.ts'
import type { Fields } from '../../domain/v3/fields.ts'
import { type PassportKey, parsePassportKey } from '../../domain/v3/key.ts'
import { mostPassports, unitsOfPassports } from '../../domain/v3/units.ts'
import { sendPage } from '../rendered-page.ts'
import type { Context, RouteRequest } from '../request.ts'
import { JSON_HEADERS } from '../response.ts'
import { readJson } from './json-body.ts'
import { parseLookup } from './lookup-request.ts'
import { parametersOf } from './parameters.ts'
import { type RenderedResult, readAll, readPassports } from './read-passports.ts'

/** Larger responses are streamed without compression. */
const MAX_WHOLE_LENGTH = 8 * 1024 * 1024

/** Streams send about this many characters at once. */
const CHUNK_LENGTH = 64 * 1024

export async function lookUp(request: RouteRequest, context: Context): Promise<Response> {
  parametersOf(request, [])
  const body = await readJson(request, context)
  const { keys, fields, asOf } = parseLookup(body, context.now())
  await chargeLookup(context, body.units, keys.length, fields, asOf !== undefined)
  await context.takeTurn()
  const items = listItems(context, keys, (some) => readPassports(context, some, fields, asOf))
  const isNdjson = request.headers.get('accept')?.includes('application/x-ndjson')
  const respond = () => (isNdjson ? sendLines(context, items) : sendItems(request, context, items))
  return keys.length > CHUNK ? context.largePages(respond) : respond()
}

/** A lookup that no window has room for is told how many keys fit. */
const chargeLookup = (
  { charge }: Context,
  bodyUnits: number,
  count: number,
  fields: Fields,
  isPast: boolean,
) =>
  charge(bodyUnits + unitsOfPassports(count, fields, isPast), (limit) => ({
    pointer: '#/keys',
    advice: `ask for at most ${mostPassports(limit - bodyUnits, fields, isPast)} keys`,
  }))

type Item = { json: string; isFound: boolean }

/** One item per key, in order. Each key is read once; its item is kept until its last use. */
async function* listItems(
  { takeTurn }: Context,
  texts: readonly string[],
  read: (keys: readonly PassportKey[]) => Promise<RenderedResult[]>,
): AsyncGenerator<Item> {
  const uses = new Map<string, number>()
  for (const text of texts) uses.set(text, (uses.get(text) ?? 0) + 1)
  const keys = new Map(texts.map((text) => [text, parsePassportKey(text)]))
  // In the order of the first use of each key.
  const parsed = [...keys.values()].filter((key) => key !== undefined)
  // Without a key to read, the time is checked all the same.
  if (parsed.length === 0) await read([])
  const results = readAll(parsed, read, takeTurn)
  const kept = new Map<string, Item>()
  for (const text of texts) {
    const item =
      kept.get(text) ??
      (keys.get(text) ? toItem(text, (await results.next()).value) : failed(text, 'malformed'))
    yield item
    const left = (uses.get(text) ?? 0) - 1
    uses.set(text, left)
    if (left > 0) kept.set(text, item)
    else kept.delete(text)
  }
}

function toItem(key: string, result: RenderedResult): Item {
  if (!result) return failed(key, 'not_found')
  if ('candidates' in result) return failed(key, 'ambiguous', { candidates: result.candidates })
  return { json: `{"key":${JSON.stringify(key)},"passport":${result.json}}`, isFound: true }
}

const failed = (key: string, error: string, more: object = {}): Item => ({
  json: JSON.stringify({ key, error, ...more }),
  isFound: false,
})

async function sendItems(request: Request, context: Context, items: AsyncGenerator<Item>): Promise<Response> {
  const parts = toJson(items)
  let body = ''
  for (let part = await parts.next(); !part.done; part = await parts.next()) {
    body += part.value
    if (body.length > MAX_WHOLE_LENGTH) return stream(context, 'application/json', body, parts)
  }
  // A response to POST has no ETag; hashing a large body would take milliseconds.
  const page = { status: 200, headers: JSON_HEADERS, body, etag: '', compressed: {} }
  const response = await sendPage(request, context, page)
  response.headers.delete('ETag')
  return response
}

async function* toJson(items: AsyncGenerator<Item>): AsyncGenerator<string> {
  let found = 0
  let separator = '{"items":['
  for await (const { json, isFound } of items) {
    yield separator + json
    separator = ','
    found += Number(isFound)
  }
  yield `${separator === ',' ? '' : separator}],"found":${found}}`
}

/** The first chunk is read before the response begins: a failure before it is an error response. */
async function sendLines(context: Context, items: AsyncGenerator<Item>): Promise<Response> {
  const lines = toLines(items)
  const { value = '' } = await lines.next()
  return stream(context, 'application/x-ndjson', value, lines)
}

async function* toLines(items: AsyncGenerator<Item>): AsyncGenerator<string> {
  let chunk = ''
  for await (const { json } of items) {
    chunk += `${json}\n`
    if (chunk.length < CHUNK_LENGTH) continue
    yield chunk
    chunk = ''
  }
  yield chunk
}

/** Reads on when the client has received the last part. */
function stream(
  { headers, onError }: Context,
  type: string,
  first: string,
  rest: AsyncGenerator<string>,
): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(first)),
    async pull(controller) {
      try {
        const { value, done } = await rest.next()
        if (done) controller.close()
        else controller.enqueue(encoder.encode(value))
      } catch (error) {
        onError(error)
        throw error
      }
    },
    cancel: () => void rest.return(undefined),
  })
  const response = new Response(body, { headers })
  response.headers.set('Content-Type', type)
  response.headers.set('Vary', 'Accept-Encoding')
  return response
}
