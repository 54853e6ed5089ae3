import { type InvalidValue, ServiceError } from '../../core/basics/errors.ts'
import type { Actor } from '../../core/history/event.ts'
import { formatEventCursor } from '../../core/history/event-cursor.ts'
import type { IncomingRecord } from '../../core/passport/record.ts'
import { RecordError } from '../../core/passport/record-fields.ts'
import { type RuleSetShape, rawKindOf } from '../../core/passport/rules/rule-set.ts'
import type { Problem } from '../../core/passport/validation-problem.ts'
import type { Store } from '../../core/store/store.ts'
import { parseSentRecord } from './parse-sent-record.ts'
import { createRecordAccess, isOperator, type Writer } from './record-access.ts'
import type { WireRecordsResult } from './schemas.ts'

/** The records of a request. Server threads send them to the writer thread. */
export type SentRecords = {
  actor: Actor
  now: number
  writer: Writer
  /** The records as JSON. Each line has one, or is blank. */
  lines: Uint8Array
  isList: boolean
  dryRun: boolean
}

/** A line that is not blank. The first one is line 1. */
export type Line = { line: number; bytes: Uint8Array }

const NEWLINE = 10

/** A space, a tab or a carriage return. */
const isBlank = (byte: number | undefined) => byte === 32 || byte === 9 || byte === 13

/**
 * Returns the first `most` lines. A loop finds blank lines, because a megabyte of them would take a second otherwise.
 */
export function splitLines(body: Uint8Array, most = Number.POSITIVE_INFINITY): Line[] {
  const lines: Line[] = []
  for (let [start, line] = [0, 1]; start < body.length && lines.length < most; line++) {
    let text = start
    while (isBlank(body[text])) text++
    const newline = body[text] === NEWLINE ? text : body.indexOf(NEWLINE, text)
    const end = newline === -1 ? body.length : newline
    if (text < end) lines.push({ line, bytes: body.subarray(start, end) })
    start = end + 1
  }
  return lines
}

/** Saves the records in one transaction. Throws `invalid_request` with all problems of all records. */
export async function saveSentRecords(
  store: Pick<Store, 'records'>,
  rules: RuleSetShape,
  request: SentRecords,
): Promise<WireRecordsResult> {
  const { actor, now, writer, isList, dryRun } = request
  const lines = splitLines(request.lines)
  const { records, invalid, unknownFields } = parseLines(lines, rules, request)
  // After an error, the dry run finds the records that the store would refuse.
  const isDry = dryRun || invalid.length > 0
  const options = { now, actor, isIssuer: !isOperator(writer), dryRun: isDry, restore: false }
  const { end, results } = await store.records.saveWhole(
    records.map(({ record }) => record),
    options,
  )
  const counts = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const outcomes: WireRecordsResult['outcomes'] = []
  for (const [at, { line }] of records.entries()) {
    const result = results[at]
    if (result?.outcome === 'refused') invalid.push(toInvalid(line, isList, result))
    else if (result) {
      counts[result.outcome]++
      const { outcome, survivorId: passport_id } = result
      outcomes.push({ line, outcome, ...(passport_id !== undefined && { passport_id }) })
    }
  }
  if (invalid.length > 0) throw refusal(invalid, lines.length)
  return { ...counts, unknown_fields: unknownFields, outcomes, cursor: formatEventCursor(end) }
}

/** The valid records, and the problems of the others. */
function parseLines(lines: readonly Line[], rules: RuleSetShape, { now, writer, isList }: SentRecords) {
  const allow = createRecordAccess(writer, rules)
  const options = { now, rawKindOf: (type: string) => rawKindOf(rules, type), rescore: false }
  const records: { line: number; record: IncomingRecord }[] = []
  const invalid: InvalidValue[] = []
  let unknownFields = 0
  for (const { line, bytes } of lines) {
    try {
      const parsed = parseSentRecord(bytes, options)
      records.push({ line, record: allow(parsed.record) })
      unknownFields += parsed.unknownFields
    } catch (error) {
      if (!(error instanceof RecordError)) throw error
      invalid.push(...error.problems.map((problem) => toInvalid(line, isList, problem)))
    }
  }
  return { records, invalid, unknownFields }
}

function toInvalid(line: number, isList: boolean, { field, reason }: Problem): InvalidValue {
  const pointer = isList ? `#/records/${line - 1}` : '#'
  return {
    line,
    pointer: field === '' ? pointer : `${pointer}/${field.replaceAll('.', '/')}`,
    detail: field === '' ? `The record ${reason}.` : `${field}: ${reason}.`,
  }
}

function refusal(invalid: readonly InvalidValue[], count: number): ServiceError {
  const lines = new Set(invalid.map(({ line }) => line))
  const sorted = invalid.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0))
  const [first] = sorted
  const invalidRecords = `${lines.size} of ${count} records ${lines.size === 1 ? 'is' : 'are'} invalid`
  const message = `Nothing was stored, because ${invalidRecords}. Record ${first?.line}: ${first?.detail}`
  return new ServiceError('invalid_request', message, { invalid: sorted })
}
