import Type from 'typebox'
import { ServiceError } from '../domain/errors.ts'
import { parseKeyword } from '../domain/keyword.ts'
import { type PassportRef, parsePassportRef } from '../domain/passport.ts'
import { quote } from '../domain/text/quote.ts'
import type { Awaitable } from '../store/store.ts'

/** As they come: what an agent gives may be of any kind. */
export type Arguments = Readonly<Record<string, unknown>>

const LARGEST_LIMIT = 25

export const SearchArguments = Type.Object({
  keyword: Type.Optional(
    Type.String({ description: 'A part of the name, at most 200 characters; without it, all by score' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: LARGEST_LIMIT, default: 10, description: 'How many on a page' }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, default: 1 })),
})

export const PassportArguments = Type.Object({
  passport: Type.String({ description: 'A passport id, such as 42, or a wallet address' }),
})

/** What `find` finds for the passport that is asked for. */
export async function findRequested<T>(
  { passport }: Arguments,
  find: (ref: PassportRef) => Awaitable<T | undefined>,
): Promise<T> {
  // Agents take an id for a number, whatever they are told.
  const text = typeof passport === 'number' ? String(passport) : passport
  if (typeof text !== 'string' || text === '') {
    throw new ServiceError('invalid_request', 'passport must be a passport id or a wallet.')
  }
  const ref = parsePassportRef(text.trim())
  const found = ref && (await find(ref))
  if (found) return found
  throw new ServiceError('not_found', `There is no passport ${quote(text)}.`)
}

export function readSearch(args: Arguments) {
  const keyword = args.keyword ?? null
  if (keyword !== null && typeof keyword !== 'string')
    throw new ServiceError('invalid_request', `keyword must be a text, got ${quote(keyword)}.`)
  const size = readCount(args, 'limit', 10, LARGEST_LIMIT)
  const page = readCount(args, 'page', 1, Number.MAX_SAFE_INTEGER)
  return { page, size, keyword: parseKeyword(keyword) }
}

function readCount(args: Arguments, name: string, fallback: number, largest: number): number {
  const value = args[name] ?? fallback
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= largest)
    return value as number
  const range = largest === Number.MAX_SAFE_INTEGER ? 'from 1' : `from 1 to ${largest}`
  throw new ServiceError('invalid_request', `${name} must be a whole number ${range}, got ${quote(value)}.`)
}
