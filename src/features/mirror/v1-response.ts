import Type, { type TSchema } from 'typebox'
import { quote } from '../../core/basics/text/quote.ts'
import { RecordError } from '../../core/passport/record-fields.ts'
import { Credential, Passport } from '../../core/passport/wire-schemas.ts'

const { merged: _, ...V1_FIELDS } = Passport.properties

/** Other fields are ignored, in particular those that our own export adds. */
const PASSPORT_FIELDS = {
  ...V1_FIELDS,
  image_url: Type.String(),
  main_wallet_changed_at: Type.String(),
  nominations_received_count: Type.Integer(),
}

/** Returns the ids, invalid ids and counts of a list page, or undefined if the body is not a list page. */
export function parseList(body: unknown) {
  const [passports, pagination] = [field(body, 'passports'), field(body, 'pagination')]
  if (!Array.isArray(passports)) return undefined
  const ids = new Set<number>()
  const invalid = new Set<string>()
  for (const passport of passports) {
    const text = field(passport, 'passport_id')
    const id = parseCount(text)
    if (id === undefined) invalid.add(text == null ? 'none' : quote(text))
    else ids.add(id)
  }
  const [last, total] = [field(pagination, 'last_page'), field(pagination, 'total')].map(parseCount)
  return { ids, invalid, last, total: total ?? 0 }
}

/** Returns the id in the body or in `Content-Location`: the survivor's id if the requested passport was merged. */
export function parseSurvivor(body: unknown, location: string, requested: number): number {
  const received = parseCount(field(field(body, 'passport'), 'passport_id')) ?? requested
  if (received !== requested) return received
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
      ? credentials.map((credential) =>
          isObject(credential) ? pick(credential, Credential.properties) : credential,
        )
      : credentials,
  }
}

/** Picks these fields. Converts numbers, which some sources send as text. */
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
