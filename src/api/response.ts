import { etagOf } from '../store/hash.ts'
import { allowedMethods, type Route } from './request.ts'

/** Any page may read every response and all of its headers. */
export const COMMON_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Allow, Content-Location, Deprecation, ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id',
  'X-Content-Type-Options': 'nosniff',
}

/** Caches may keep a response, but must revalidate it before each use: data changes at any time. */
export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }

/** What a handler returns. `server.ts` makes the response of it, with the headers that all responses have. */
export type Reply = {
  status: number
  /** `JSON_HEADERS` unless given. */
  headers?: Readonly<Record<string, string>>
  etag?: string
  body: BodyInit | null
}

export const json = (body: string, etag = etagOf(body)): Reply => ({ status: 200, etag, body })

/** The reply to OPTIONS, with or without the headers of a CORS preflight. */
export function preflight(route: Route): Reply {
  const methods = allowedMethods(route)
  return {
    status: 204,
    headers: {
      Allow: methods,
      'Access-Control-Allow-Methods': methods,
      // The star stands for all but Authorization; older browsers do not know it.
      'Access-Control-Allow-Headers':
        'X-API-KEY, Content-Type, Authorization, If-None-Match, X-Request-Id, *',
      'Access-Control-Max-Age': '86400',
    },
    body: null,
  }
}

/** Whether `If-None-Match` names the ETag, also with `W/` as RFC 9110 asks. */
export function matchesEtag(condition: string, etag: string): boolean {
  return (
    condition === etag ||
    condition.trim() === '*' ||
    condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  )
}

/** Headers that many responses share: copying them costs less than setting each. */
export type BaseHeaders = { plain: Headers; json: Headers }

export const createBaseHeaders = (headers: Readonly<Record<string, string>>): BaseHeaders => ({
  plain: new Headers(headers),
  json: new Headers({ ...headers, ...JSON_HEADERS }),
})
