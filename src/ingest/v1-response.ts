import Type, { type TSchema } from 'typebox'
import { Credential, Passport } from '../domain/v1/schemas.ts'
import { RecordError } from './record.ts'

/** Fields outside of V1 are ignored, in particular those that our own export adds. */
const { merged: _, ...PASSPORT_FIELDS } = Passport.properties

/** The distinct ids on a list page; undefined if the body is not a list page. */
export function parseIds(body: unknown): number[] | undefined {
  const passports = field(body, 'passports')
  if (!Array.isArray(passports)) return undefined
  return [...new Set(passports.flatMap((each) => parseCount(field(each, 'passport_id')) ?? []))]
}

export function parsePagination(body: unknown): { last: number | undefined; count: number } {
  const pagination = field(body, 'pagination')
  return {
    last: parseCount(field(pagination, 'last_page')),
    count: parseCount(field(pagination, 'total')) ?? 0,
  }
}

/** The id in the response: the survivor's if the requested passport was merged. */
export const parseResponseId = (body: unknown, requested: number): number =>
  parseCount(field(field(body, 'passport'), 'passport_id')) ?? requested

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
  const count = Number(value ?? Number.NaN)
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const field = (value: unknown, name: string): unknown =>
  isObject(value) ? (value as Record<string, unknown>)[name] : undefined
