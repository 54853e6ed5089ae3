import Type, { type TSchema } from 'typebox'
import { RecordError } from '../domain/record/parse-record.ts'
import { Credential, Passport } from '../domain/record/schemas.ts'
import { quote } from '../domain/text/quote.ts'

const { merged: _, ...V1_FIELDS } = Passport.properties

/** Other fields are ignored, in particular those that our own export adds. */
const PASSPORT_FIELDS = {
  ...V1_FIELDS,
  image_url: Type.String(),
  main_wallet_changed_at: Type.String(),
  nominations_received_count: Type.Integer(),
}

/** The distinct ids on a list page, and values that are no ids; undefined if the body is not a list page. */
export function parseIds(body: unknown): { ids: number[]; invalid: string[] } | undefined {
  const passports = field(body, 'passports')
  if (!Array.isArray(passports)) return undefined
  const given = passports.map((each) => field(each, 'passport_id'))
  const isInvalid = (value: unknown) => parseCount(value) === undefined
  return {
    ids: [...new Set(given.flatMap((value) => parseCount(value) ?? []))],
    invalid: [...new Set(given.filter(isInvalid).map((value) => (value == null ? 'none' : quote(value))))],
  }
}

export function parsePagination(body: unknown): { last: number | undefined; count: number } {
  const pagination = field(body, 'pagination')
  return {
    last: parseCount(field(pagination, 'last_page')),
    count: parseCount(field(pagination, 'total')) ?? 0,
  }
}

/** The id in the body or in `Content-Location`: the survivor's if the requested passport was merged. */
export function parseSurvivor(
  { body, location }: { body: unknown; location: string },
  requested: number,
): number {
  const given = parseCount(field(field(body, 'passport'), 'passport_id')) ?? requested
  if (given !== requested) return given
  return parseCount(/\/passports\/(\d+)$/.exec(location)?.[1]) ?? requested
}

/** Combines both responses about a passport into one line for `parseRecord`. */
export function toLine(id: number, passportBody: unknown, credentialsBody: unknown): object {
  const passport = field(passportBody, 'passport')
  if (!isObject(passport)) throw new RecordError('passport', 'is missing from the response')
  const credentials = field(credentialsBody, 'passport_credentials')
  return {
    ...pick(passport, PASSPORT_FIELDS),
    passport_id: id,
    credentials: Array.isArray(credentials)
      ? credentials.map((each) => (isObject(each) ? pick(each, Credential.properties) : each))
      : credentials,
  }
}

/** Some sources send numbers as text. */
function pick(value: object, fields: Record<string, TSchema>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      Type.IsNumber(schema) || Type.IsInteger(schema) ? toNumber(field(value, name)) : field(value, name),
    ]),
  )
}

function toNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return null
  return Number.isNaN(Number(value)) ? value : Number(value)
}

function parseCount(value: unknown): number | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^\s*\d+\s*$/.test(value))
  const count = isNumber ? Number(value) : Number.NaN
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const field = (value: unknown, name: string): unknown =>
  isObject(value) ? (value as Record<string, unknown>)[name] : undefined
