/** What a route gives back; `server.ts` makes the response of it. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body: string | Uint8Array
  /** Where it is known already. */
  etag?: string
}

export type TextAnswer = Answer & { body: string }

/** May be kept by a cache, but must be checked with us before each use: data changes at any time. */
export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }

/** JSON that is made already. */
export const ready = (body: string | Uint8Array): Answer => ({ status: 200, headers: JSON_HEADERS, body })

export function json(value: unknown, headers?: Record<string, string>): Answer {
  return {
    status: 200,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: JSON.stringify(value),
  }
}
