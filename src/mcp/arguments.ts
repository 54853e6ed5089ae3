import Type from 'typebox'
import { ServiceError } from '../domain/errors.ts'
import { parseKeyword } from '../domain/lists/list-request.ts'
import { quote } from '../domain/text/quote.ts'
import { MAX_LIST } from './sanitize.ts'

/** Not validated: agents send values of any type. */
export type Arguments = Readonly<Record<string, unknown>>

const MAX_LIMIT = 25

export const SearchArguments = Type.Object({
  keyword: Type.Optional(
    Type.String({ description: 'Part of the name, at most 200 characters; default: all passports' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: 10, description: 'Passports per page' }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
})

const passport = Type.String({
  description: 'A passport id, such as 42, a wallet address, or a handle such as github:zoe',
})
const time = (description: string) =>
  Type.String({
    description: `${description}: a day such as 2026-10-01, or a time such as 2026-10-01T12:00:00Z`,
  })

export const PassportArguments = Type.Object({ passport })

export const LookupArguments = Type.Object({
  keys: Type.Array(passport, {
    minItems: 1,
    maxItems: MAX_LIST,
    description: 'Passports, in any mix of keys',
  }),
})

export const ScoreAtArguments = Type.Object({ passport, as_of: time('A time in the past') })

export const WhatChangedArguments = Type.Object({
  passport,
  from: time('Begin'),
  to: Type.Optional(time('End; default: now')),
})

const invalid = (name: string, wanted: string, given: unknown) =>
  new ServiceError('invalid_request', `${name} must be ${wanted}, got ${quote(given)}.`)

/** Agents send an id as a number, although the schema says string. */
export function parseKeyText(name: string, value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text !== '') return text.trim()
  throw invalid(name, 'a passport id, a wallet or a handle', value)
}

export function parseKeys({ keys }: Arguments): string[] {
  if (Array.isArray(keys) && keys.length > 0 && keys.length <= MAX_LIST)
    return keys.map((key, at) => parseKeyText(`keys[${at}]`, key))
  throw invalid('keys', `a list of 1 to ${MAX_LIST} passports`, Array.isArray(keys) ? keys.length : keys)
}

export function parseText(name: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw invalid(name, 'a day or a time', value)
}

export function parseSearch(args: Arguments) {
  const keyword = args.keyword ?? null
  if (keyword !== null && typeof keyword !== 'string') throw invalid('keyword', 'a string', keyword)
  const size = parseCount(args, 'limit', 10, MAX_LIMIT)
  const page = parseCount(args, 'page', 1, Number.MAX_SAFE_INTEGER)
  return { page, size, keyword: parseKeyword(keyword) }
}

function parseCount(args: Arguments, name: string, fallback: number, max: number): number {
  const value = args[name] ?? fallback
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max)
    return value as number
  throw invalid(name, `a whole number from 1${max === Number.MAX_SAFE_INTEGER ? '' : ` to ${max}`}`, value)
}
