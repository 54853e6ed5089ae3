import { hashOf } from '../store/hash.ts'
import type { Answer } from './answer.ts'

/** A strong tag: the same bytes always have the same one, on every node. */
export function etagOf(body: Answer['body']): string {
  const hash = typeof body === 'string' || body instanceof Uint8Array ? hashOf(body) : body.hash
  return `"${hash.toString(36)}"`
}

/** Whether `If-None-Match` names the tag. A weak spelling of it counts, as RFC 9110 asks. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return (
    ifNoneMatch === etag ||
    ifNoneMatch.trim() === '*' ||
    ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
}
