import type { Document } from '../store/store.ts'
import { etagOf } from './etag.ts'

/** What a route gives back; `server.ts` makes the reply of it. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array | Document
  /** Where it is known already. */
  etag?: string
}

export type TextAnswer = Answer & { body: string }

/** May be kept by a cache, but must be checked with us before each use: data changes at any time. */
export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }

/** JSON that is made already. */
export const ready = <T extends Uint8Array | Document>(body: T) => ({
  status: 200,
  headers: JSON_HEADERS,
  body,
  etag: etagOf(body),
})

export function json(value: unknown, headers?: Record<string, string>): Answer {
  return {
    status: 200,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: JSON.stringify(value),
  }
}
