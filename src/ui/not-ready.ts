import { ClientGone, type ErrorCode, ServiceError } from '../core/basics/errors.ts'
import type { ExplorerOptions } from './page.ts'

/**
 * Reads an optional part of a page. Returns `undefined` while the index is unavailable, and after an
 * unexpected error, which is logged.
 */
export async function ifReady<T>(
  { onError }: Pick<ExplorerOptions, 'onError'>,
  read: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ClientGone) throw error
    if (!isCode(error, NOT_READY)) onError(error)
    return undefined
  }
}

/** Lists respond with these errors while the index is built, and while its thread is busy. */
const NOT_READY: readonly ErrorCode[] = ['not_ready', 'unavailable', 'overloaded']

export const isCode = (error: unknown, codes: readonly ErrorCode[]): boolean =>
  error instanceof ServiceError && codes.includes(error.code)
