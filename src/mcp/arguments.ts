import Type from 'typebox'
import { ServiceError } from '../domain/errors.ts'
import { parseKeyword } from '../domain/keyword.ts'
import { type PassportRef, parsePassportRef } from '../domain/passport.ts'
import { quote } from '../domain/text/quote.ts'
import type { Awaitable } from '../store/store.ts'

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

export const PassportArguments = Type.Object({
  passport: Type.String({ description: 'A passport id, such as 42, or a wallet address' }),
})

/** Calls `find` for the `passport` argument; throws if it finds nothing. */
export async function findNamed<T>(
  { passport }: Arguments,
  find: (ref: PassportRef) => Awaitable<T | undefined>,
): Promise<T> {
  // Agents send an id as a number, although the schema says string.
  const text = typeof passport === 'number' ? String(passport) : passport
  if (typeof text !== 'string' || text === '') {
    throw new ServiceError(
      'invalid_request',
      `passport must be a passport id or a wallet, got ${quote(passport)}.`,
    )
  }
  const ref = parsePassportRef(text.trim())
  const found = ref && (await find(ref))
  if (found) return found
  throw new ServiceError('not_found', `There is no passport ${quote(text)}.`)
}

export function parseSearch(args: Arguments) {
  const keyword = args.keyword ?? null
  if (keyword !== null && typeof keyword !== 'string')
    throw new ServiceError('invalid_request', `keyword must be a string, got ${quote(keyword)}.`)
  const size = parseCount(args, 'limit', 10, MAX_LIMIT)
  const page = parseCount(args, 'page', 1, Number.MAX_SAFE_INTEGER)
  return { page, size, keyword: parseKeyword(keyword) }
}

function parseCount(args: Arguments, name: string, fallback: number, max: number): number {
  const value = args[name] ?? fallback
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= max)
    return value as number
  const range = max === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${max}`
  throw new ServiceError('invalid_request', `${name} must be a whole number ${range}, got ${quote(value)}.`)
}
