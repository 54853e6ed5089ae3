/** What a route gives back; `server.ts` makes the response of it. */
export type Answer = {
  status: number
  headers: Record<string, string>
  body: string
}

/** May be kept by a cache, but must be checked with us before each use: data changes at any time. */
export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }

export function json(value: unknown, headers?: Record<string, string>): Answer {
  return {
    status: 200,
    headers: headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS,
    body: JSON.stringify(value),
  }
}
