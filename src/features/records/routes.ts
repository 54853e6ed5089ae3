import { invalidBody, parseJson, readBody } from '../../core/api/request-body.ts'
import type { WireWriteResult } from '../../core/api/schemas.ts'
import { actorOf, V3 } from '../../core/api/surface.ts'
import { findUnknown, invalidParameter, invalidValues, pointerTo } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { type Context, type Query, route } from '../../core/http/route.ts'
import { splitLines } from './save-sent-records.ts'
import { RecordsRequest, RecordsResult } from './schemas.ts'
import { RECORD_WRITES } from './statements.ts'

const NDJSON = 'application/x-ndjson'

const MOST_RECORDS = 1000

/** Parsing this many quotes, commas, colons and opening brackets takes about 5 ms. */
const MOST_MARKS = 100_000

const PARAMETERS = {
  dry_run: {
    description: 'With `true`, the records are checked, and nothing is stored',
    schema: { type: 'boolean', default: false },
  },
}

export const records = route(V3, {
  name: 'v3_records',
  path: '/api/v3/records',
  methods: ['POST'],
  scope: 'write',
  needsKey: true,
  id: 'writeRecords',
  summary: 'Write passports and data points',
  description:
    'Up to 1,000 records in one transaction: all of them are stored, or none. Sending the same records again changes nothing. A key with the scope `write:` and an issuer writes data points of its types, and `write:*` writes all records. Each record counts as one request of the limit.',
  query: PARAMETERS,
  requestHeaders: {
    'Idempotency-Key': {
      description: 'Accepted and ignored, because writing a record again changes nothing',
    },
  },
  body: RecordsRequest,
  responseHeaders: ['Event-Cursor'],
  response: RecordsResult,
  errors: ['unsupported_media_type'],
  handle: writeRecords,
})

async function writeRecords(
  request: Request,
  context: Context,
  query: Query<keyof typeof PARAMETERS>,
): Promise<Response> {
  const dryRun = parseDryRun(query.dry_run)
  const { bytes, type } = await readBody(request, context, [NDJSON, 'application/json'])
  const isList = type !== NDJSON
  const lines = isList ? toLines(parseJson(bytes, MOST_MARKS)) : bytes
  const count = splitLines(lines, MOST_RECORDS + 1).length
  if (count === 0) throw invalidBody('The body has no records.')
  if (count > MOST_RECORDS) throw invalidBody(`The body may have at most ${MOST_RECORDS} records, got more.`)
  context.charge(context.units + count, 'send fewer records')
  const { scopes, types } = context.principal
  const by = { actor: actorOf(context), now: context.now(), writer: { scopes, types } }
  const { save } = context.store.data(RECORD_WRITES, { signal: request.signal })
  return sendWritten(context, await save({ ...by, lines, isList, dryRun }))
}

function parseDryRun(text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidParameter('dry_run', `dry_run must be true or false, got ${quote(text)}.`)
}

function toLines(body: unknown): Buffer {
  const records = typeof body === 'object' && body !== null && 'records' in body ? body.records : undefined
  if (!Array.isArray(records))
    throw invalidBody(`The body must be an object with the list "records", got ${quote(body)}.`)
  const names = Object.keys(body as object)
  const unknown = findUnknown('member', names, ['records'], (at) => pointerTo(names[at] ?? ''))
  if (unknown.length > 0) throw invalidValues(unknown)
  return Buffer.from(records.map((record) => JSON.stringify(record)).join('\n'))
}

export function sendWritten(context: Context, body: WireWriteResult & { hidden?: true }): Response {
  const response = new Response(JSON.stringify(body), { headers: context.headers })
  response.headers.set('Event-Cursor', body.cursor)
  return response
}
