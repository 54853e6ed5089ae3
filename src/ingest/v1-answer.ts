import { Credential, Passport } from '../domain/v1/schemas.ts'
import { RecordError } from './record.ts'

/** Fields outside of V1 are ignored, above all those that our own export adds. */
const PASSPORT_FIELDS = Object.keys(Passport.properties).filter((name) => name !== 'merged')
const CREDENTIAL_FIELDS = Object.keys(Credential.properties)
/** Services have been seen to send these as text. */
const NUMBERS = /score$|^passport_id$|^connections_count$/

/** The ids that a page of the list names, each once; `undefined` where it is no such page. */
export function parseIds(body: unknown): number[] | undefined {
  const passports = field(body, 'passports')
  if (!Array.isArray(passports)) return undefined
  const ids = passports.map((each) => Number(field(each, 'passport_id') ?? Number.NaN))
  return [...new Set(ids)].filter(isId)
}

export function parsePagination(body: unknown): { last: number | undefined; count: number } {
  const [last, total] = ['last_page', 'total'].map((name) =>
    Number(field(field(body, 'pagination'), name) ?? Number.NaN),
  )
  return {
    last: Number.isSafeInteger(last) ? last : undefined,
    count: Number.isSafeInteger(total) ? (total as number) : 0,
  }
}

/** Which passport the source answers with: another one where the one asked for was merged into it. */
export function parseAnsweredId(body: unknown, asked: number): number {
  const id = Number(field(field(body, 'passport'), 'passport_id') ?? asked)
  return isId(id) ? id : asked
}

/** The two answers about a passport as one record for `parseRecord`. */
export function toLine(id: number, passportBody: unknown, credentialsBody: unknown): object {
  const passport = field(passportBody, 'passport')
  if (!isObject(passport)) throw new RecordError('passport', 'is missing from the answer')
  const credentials = field(credentialsBody, 'passport_credentials')
  return {
    ...pick(passport, PASSPORT_FIELDS),
    passport_id: id,
    credentials: Array.isArray(credentials)
      ? credentials.map((each) => (isObject(each) ? pick(each, CREDENTIAL_FIELDS) : each))
      : credentials,
  }
}

function pick(value: object, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    names.map((name) => [name, NUMBERS.test(name) ? toNumber(field(value, name)) : field(value, name)]),
  )
}

function toNumber(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (value.trim() === '') return null
  return Number.isNaN(Number(value)) ? value : Number(value)
}

const isId = (id: number) => Number.isSafeInteger(id) && id >= 0

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const field = (value: unknown, name: string): unknown =>
  isObject(value) ? (value as Record<string, unknown>)[name] : undefined
