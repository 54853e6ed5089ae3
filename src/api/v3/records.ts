import { type InvalidValue, invalidParameter, ServiceError } from '../../domain/errors.ts'
import { formatEventCursor } from '../../domain/history/event-cursor.ts'
import { parseLine, RecordError } from '../../domain/record/parse-record.ts'
import type { Problem } from '../../domain/record/validation-problem.ts'
import { rawKindOf } from '../../domain/rule-set.ts'
import { quote } from '../../domain/text/quote.ts'
import { RecordsRequest, RecordsResult, type WireRecordsResult } from '../../domain/v3/write-schemas.ts'
import { serializeRecord, type Write, type Written } from '../../store/apply-write.ts'
import type { Awaitable } from '../../store/store.ts'
import { takeTurn } from '../backpressure/turns-and-large-pages.ts'
import { type Context, type Query, route } from '../route.ts'
import { RECORDS, RECORDS_REQUEST } from './examples.ts'
import { createRecordAccess, isOperator } from './record-access.ts'
import { invalidBody, parseJson, readBody } from './request-body.ts'
import { V3 } from './route-defaults.ts'

const NDJSON = 'application/x-ndjson'

const MOST_RECORDS = 1000

/** Parsing this many quotes, commas, colons and opening brackets takes about 5 ms. */
const MOST_MARKS = 100_000

/** A record takes up to half a millisecond of CPU in all threads. */
const RECORDS_PER_UNIT = 2

/** Larger records would delay other requests, because each is parsed without a pause. */
const MOST_RECORD_BYTES = 64 * 1024

/** Other requests may run after this time of parsing. A read by id takes about a tenth of a millisecond. */
const SLICE_MILLISECONDS = 0.25

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
    'Up to 1,000 records in one transaction: all of them are stored, or none. Sending the same records again changes nothing. A key with the scope `write:` and an issuer writes data points of its types, and `write:*` writes all records. Each 2 records, or part of them, count as one request of the limit.',
  query: PARAMETERS,
  requestHeaders: {
    'Idempotency-Key': {
      description: 'Accepted and ignored, because writing a record again changes nothing',
    },
  },
  body: RecordsRequest,
  bodyExample: RECORDS_REQUEST,
  bodyStreams: {
    [NDJSON]: {
      item: RecordsRequest.properties.records.items,
      example: RECORDS_REQUEST.records.map((record) => `${JSON.stringify(record)}\n`).join(''),
    },
  },
  responseHeaders: ['Event-Cursor'],
  response: RecordsResult,
  example: RECORDS,
  errors: ['unsupported_media_type'],
  handle: writeRecords,
})

async function writeRecords(
  request: Request,
  context: Context,
  query: Query<keyof typeof PARAMETERS>,
): Promise<Response> {
  const dryRun = parseDryRun(query.dry_run)
  const { bytes, units, type } = await readBody(request, context, [NDJSON, 'application/json'])
  const sources = type === NDJSON ? listLines(bytes) : listRecords(parseJson(bytes, MOST_MARKS))
  checkCount(sources.length)
  await context.charge(
    1 + units + Math.ceil(sources.length / RECORDS_PER_UNIT),
    () => 'send fewer records at once',
  )
  const write = (write: Write) => context.write(write, request.signal)
  return sendWritten(
    context,
    await saveSources({ ...context, write, takeTurn: () => takeTurn(context) }, sources, dryRun),
  )
}

/** A request, or a call of another program. */
type Writer = Pick<Context, 'principal' | 'rules' | 'now'> & {
  write: (write: Write) => Promise<Written>
  takeTurn: () => Awaitable<void>
}

/** Throws `invalid_request` with all problems of all records. */
export async function saveSources(writer: Writer, sources: readonly Source[], dryRun: boolean) {
  const { principal, now } = writer
  const { records, unknownFields } = await parseAll(writer, sources)
  const actor = principal.kind === 'key' ? (`key:${principal.id}` as const) : 'cli'
  const isIssuer = !isOperator(principal)
  const written = await writer.write({ kind: 'records', records, isIssuer, dryRun, actor, now: now() })
  return presentResults(sources, written, unknownFields)
}

function parseDryRun(text = 'false'): boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidParameter('dry_run', `dry_run must be true or false, got ${quote(text)}.`)
}

function checkCount(count: number): void {
  if (count === 0) throw invalidBody('The body has no records.')
  if (count > MOST_RECORDS)
    throw invalidBody(`The body may have at most ${MOST_RECORDS} records, got ${count}.`)
}

/** A record of the body. `line` counts from 1, and `pointer` leads to the record. */
type Source = { line: number; pointer: string; read: () => Uint8Array }

const NEWLINE = 10

/** The lines that are not blank. */
function listLines(body: Buffer): Source[] {
  const sources: Source[] = []
  for (let [start, line] = [0, 1]; start < body.length; line++) {
    const newline = body.indexOf(NEWLINE, start)
    const end = newline === -1 ? body.length : newline
    const bytes = body.subarray(start, end)
    start = end + 1
    const isBlank = bytes.length < 64 && bytes.toString('latin1').trim() === ''
    if (!isBlank) sources.push({ line, pointer: '#', read: () => bytes })
  }
  return sources
}

/** The entries of `records`. */
export function listRecords(body: unknown): Source[] {
  const records = typeof body === 'object' && body !== null && 'records' in body ? body.records : undefined
  if (!Array.isArray(records))
    throw invalidBody(`The body must be an object with the list "records", got ${quote(body)}.`)
  return records.map((value, at) => ({
    line: at + 1,
    pointer: `#/records/${at}`,
    // Serialized again, so that a record has the same fingerprint as on a line of NDJSON.
    read: () => Buffer.from(JSON.stringify(value)),
  }))
}

async function parseAll(writer: Writer, sources: readonly Source[]) {
  const rules = await writer.rules()
  const allow = createRecordAccess(writer.principal, rules)
  const options = {
    now: writer.now(),
    rawKindOf: (type: string) => rawKindOf(rules, type),
    rescore: false,
  }
  const records: string[] = []
  const invalid: InvalidValue[] = []
  let unknownFields = 0
  let sliceEnd = 0
  for (const source of sources) {
    if (performance.now() >= sliceEnd) {
      await new Promise(setImmediate)
      await writer.takeTurn()
      sliceEnd = performance.now() + SLICE_MILLISECONDS
    }
    try {
      const bytes = source.read()
      if (bytes.length > MOST_RECORD_BYTES)
        throw new RecordError('', `may have at most ${MOST_RECORD_BYTES} bytes, got ${bytes.length}`)
      const parsed = parseLine(bytes, options)
      records.push(serializeRecord(allow(parsed.record)))
      unknownFields += parsed.unknownFields
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      invalid.push(...error.problems.map((problem) => toInvalid(source, problem)))
    }
  }
  if (invalid.length > 0) throw refused(invalid, sources.length)
  return { records: `[${records.join()}]`, unknownFields }
}

const toInvalid = ({ line, pointer }: Source, { field, reason }: Problem): InvalidValue => ({
  line,
  pointer: field === '' ? pointer : `${pointer}/${field.replaceAll('.', '/')}`,
  detail: field === '' ? `The record ${reason}.` : `${field}: ${reason}.`,
})

function refused(invalid: readonly InvalidValue[], count: number): ServiceError {
  const lines = new Set(invalid.map(({ line }) => line))
  const [first] = invalid
  const message = `Nothing was stored, because ${lines.size} of ${count} records ${lines.size === 1 ? 'is' : 'are'} invalid. Record ${first?.line}: ${first?.detail}`
  return new ServiceError('invalid_request', message, { invalid })
}

function presentResults(
  sources: readonly Source[],
  { end, results }: Written,
  unknownFields: number,
): WireRecordsResult {
  const counts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const outcomes: WireRecordsResult['outcomes'] = []
  const invalid: InvalidValue[] = []
  for (const [at, source] of sources.entries()) {
    const result = results[at]
    if (result?.outcome === 'refused') invalid.push(toInvalid(source, result))
    else if (result) {
      counts[result.outcome]++
      outcomes.push({ line: source.line, outcome: result.outcome })
    }
  }
  if (invalid.length > 0) throw refused(invalid, sources.length)
  return { ...counts, unknown_fields: unknownFields, outcomes, cursor: formatEventCursor(end) }
}

/** The response to a write. */
export function sendWritten(context: Context, body: { cursor: string }): Response {
  const response = new Response(JSON.stringify(body), { headers: context.headers })
  response.headers.set('Event-Cursor', body.cursor)
  return response
}
