import { LONGEST_POINTER } from '../../core/basics/errors.ts'
import { parseInstant } from '../../core/basics/text/instant.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { type ParseOptions, parseJsonLine, parseRecord } from '../../core/passport/parse-record.ts'
import { RecordError } from '../../core/passport/record-fields.ts'
import { isScope } from '../../core/store/api-key.ts'

const DAY = 86_400_000

/** All known members are at most this deep in a record. */
const DEEPEST = 4

/**
 * Parses a record of a request, which has stricter rules than a line of a file. The same record in another notation
 * has the same fingerprint. Throws `RecordError`.
 */
export function parseSentRecord(bytes: Uint8Array, options: ParseOptions) {
  const value = parseJsonLine(bytes)
  const { record, unknownFields } = parseRecord(value, options, bytes.length)
  const both = ['passport_id', 'passport'].every((name) => Object.hasOwn(value as object, name))
  if (both) throw new RecordError('', 'has both passport_id (a passport) and passport (a data point)')
  checkTexts(value, options.now + DAY)
  const source = record.kind === 'passport' && { source: JSON.stringify(sortMembers(value)) }
  return { record: { ...record, ...source }, unknownFields }
}

function checkTexts(value: unknown, latest: number, path = '', depth = DEEPEST): void {
  if (typeof value === 'string') checkText(value, latest, path)
  if (typeof value !== 'object' || value === null || depth === 0) return
  for (const [name, inner] of Object.entries(value))
    checkTexts(inner, latest, path === '' ? name : `${path}.${name}`, depth - 1)
}

function checkText(text: string, latest: number, path: string): void {
  if (text.includes('\0'))
    throw new RecordError(path.length > LONGEST_POINTER ? '' : path, 'must not have the character U+0000')
  if (text === '') return
  if (/^(data_points\.\d+\.)?issuer$/.test(path) && (text === '*' || !isScope(`write:${text}`)))
    throw new RecordError(
      path,
      `must be the name of an issuer (a-z, 0-9, _ and -, at most 32), got ${quote(text)}`,
    )
  const isEarned = /^((credentials|data_points)\.\d+\.)?earned_at$/.test(path)
  if (isEarned && (parseInstant(text) ?? 0) > latest)
    throw new RecordError(path, `must not be later than a day from now, got ${quote(text)}`)
}

/** Deeper members keep their order, because sorting very deep ones would overflow the stack. */
function sortMembers(value: unknown, depth = DEEPEST): unknown {
  if (typeof value !== 'object' || value === null || depth === 0) return value
  if (Array.isArray(value)) return value.map((item) => sortMembers(item, depth - 1))
  const names = Object.keys(value).sort()
  return Object.fromEntries(
    names.map((name) => [name, sortMembers((value as Record<string, unknown>)[name], depth - 1)]),
  )
}
