import { unescape as decode } from 'node:querystring'
import { ServiceError } from '../basics/errors.ts'
import { parseOrigin } from '../basics/url.ts'
import type { Context } from './route.ts'

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'QUERY'])

/** W3C Trace Context: version, trace id, parent id and flags. Versions after 00 may add further parts. */
const TRACEPARENT =
  /^(?!ff|00.{54})[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?$/

/** What may be logged about a request: neither its path, its query nor its key. */
export type LoggedRequest = {
  id: string
  /** From a valid `traceparent`. */
  traceId?: string | undefined
  /** Unknown methods are untrusted input, and logged as `other`. */
  method: string
  route: string
}

export type RequestSummary = LoggedRequest & {
  status: number
  seconds: number
  /** Empty without a key. */
  keyId: string
  /** `none` if the route has no tier, or if the request was refused before its tier was known. */
  tier: string
  address: () => string
}

export const summaryOf = ({
  request,
  route,
  id,
}: Pick<Context, 'request' | 'route' | 'id'>): LoggedRequest => ({
  id,
  traceId: TRACEPARENT.exec(request.headers.get('traceparent') ?? '')?.[1],
  method: KNOWN_METHODS.has(request.method) ? request.method : 'other',
  route: route.name,
})

export const MAX_BODY_BYTES = 1024 * 1024

/** 0 if the size of the body is unknown. */
export const declaredLength = ({ headers }: Request) => Number(headers.get('content-length')) || 0

/** If a larger body is refused unread, its connection is closed, which takes less time than reading it. */
const MOST_IGNORED_BYTES = 64 * 1024

export const hasLargeUnreadBody = (request: Request) =>
  declaredLength(request) > MOST_IGNORED_BYTES && !request.bodyUsed

export const bodyTooLarge = () =>
  new ServiceError('content_too_large', `The body may have at most ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: 'close' },
  })

/** Headers need no check: Bun responds 431 when the request line and the headers exceed 16 KiB. */
const MAX_TARGET = 8 * 1024

/** The scheme and host of the request; empty if its `Host` is malformed. */
const originOf = ({ url }: Request) => url.slice(0, pathStart(url))

/** The public scheme and host of the service. Without PUBLIC_URL they come from `Host`, which is untrusted input. */
export const publicOriginOf = (request: Request, publicUrl: string): string =>
  publicUrl || (parseOrigin(originOf(request))?.origin ?? '')

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** The origin of the service. Without PUBLIC_URL it is known only on this machine, because `Host` may be forged. */
export function trustedOriginOf(request: Request, { publicUrl }: Pick<Context, 'publicUrl'>) {
  const origin = publicOriginOf(request, publicUrl)
  return publicUrl !== '' || LOOPBACK.test(origin) ? origin : undefined
}

/** The path, with repeated slashes collapsed. */
export function pathOf({ url }: Request): string {
  const end = url.search(/[?#]/)
  return url.slice(pathStart(url), end === -1 ? undefined : end).replace(/\/{2,}/g, '/')
}

export const queryOf = (request: Request) => new URLSearchParams(queryTextOf(request))

/** The query as sent. Throws `uri_too_long`. */
export function queryTextOf({ url }: Request): string {
  if (url.length - pathStart(url) > MAX_TARGET)
    throw new ServiceError('uri_too_long', `The path and query may have at most ${MAX_TARGET} characters.`)
  const mark = url.indexOf('?')
  if (mark === -1) return ''
  const hash = url.indexOf('#', mark)
  return url.slice(mark + 1, hash === -1 ? undefined : hash)
}

/** Bun's `request.url` is the path alone when `Host` is malformed, so `new URL(request.url)` may throw. */
const pathStart = (url: string) => (url.startsWith('/') ? 0 : url.indexOf('/', 'https://'.length))

/** Maximum number of path segments that are compared. No pattern has more. */
const MOST_PARTS = 20

/** The decoded parameters of the path, if it matches the pattern. A malformed escape does not throw. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1)) ? {} : undefined
  const [patternParts, pathParts] = [pattern.split('/'), path.split('/', MOST_PARTS)]
  const params: Record<string, string> = {}
  for (const [index, part] of patternParts.entries()) {
    const value = pathParts[index]
    if (part.startsWith(':') && value) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return patternParts.length === pathParts.length ? params : undefined
}
