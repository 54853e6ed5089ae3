import { ServiceError } from '../errors.ts'
import { quote } from '../text/quote.ts'

export type PageRequest = { page: number; size: number }

const DEFAULT_SIZE = 25
const LARGEST_SIZE = 250

export function parsePageRequest(page: string | null, size: string | null): PageRequest {
  const number = parseCount('page', page) ?? 1
  if (!Number.isSafeInteger(number)) {
    throw new ServiceError(
      'invalid_request',
      `page must be at most ${Number.MAX_SAFE_INTEGER}, got ${quote(page)}.`,
    )
  }
  return { page: number, size: Math.min(parseCount('per_page', size) ?? DEFAULT_SIZE, LARGEST_SIZE) }
}

/** An empty list has one page: a client that reads up to the last page terminates. */
export const lastPage = (total: number, size: number): number => Math.max(1, Math.ceil(total / size))

function parseCount(name: string, text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count < 1) {
    throw new ServiceError('invalid_request', `${name} must be a whole number from 1, got ${quote(text)}.`)
  }
  return count
}
