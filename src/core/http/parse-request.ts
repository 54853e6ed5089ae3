import { unescape as decode } from 'node:querystring'
import { ServiceError } from '../basics/errors.ts'
import { parseOrigin } from '../basics/url.ts'
import type { Context, Route } from './route.ts'

const READ_ONLY = ['GET', 'HEAD']

const methodsOf = ({ methods = READ_ONLY }: Route) => methods

export const allowedMethods = (route: Route) =>
  [...(route.pathMethods ?? methodsOf(route)), 'OPTIONS'].join(', ')

/** The route with and without a trailing slash. */
export function withSlash(route: Route): Route[] {
  const isSlashOptional = route.surface.ignoresSlash && !/[/*]$/.test(route.path)
  return isSlashOptional ? [route, { ...route, path: `${route.path}/` }] : [route]
}

/** Groups routes by path. The routes of a path differ in their methods, and each gets the methods of all. */
export function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = Map.groupBy(routes, ({ path }) => path)
  for (const [path, group] of groups) {
    const pathMethods = [...new Set(group.flatMap(methodsOf))]
    if (group.length > 1)
      groups.set(
        path,
        group.map((each) => ({ ...each, pathMethods })),
      )
  }
  return groups
}

/**
 * Selects the route of a path for the method of a request, preferably one that `isFor` it. The route that reads responds to methods
 * that the path does not have.
 */
export function selectRoute(routes: readonly Route[], request: Request): Route {
  if (routes.length === 1) return routes[0] as Route
  const matches = routes.filter((route) => route.isFor?.(request))
  const others = routes.filter((route) => !route.isFor)
  const findByMethod = (candidates: readonly Route[], method: string) =>
    candidates.findLast((route) => methodsOf(route).includes(method))
  return (findByMethod(matches, request.method) ??
    findByMethod(others, request.method) ??
    matches.at(-1) ??
    findByMethod(others, 'GET') ??
    routes.at(-1)) as Route
}

export function checkMethod(method: string, route: Route): void {
  if (methodsOf(route).includes(method)) return
  const methods = route.pathMethods ?? route.methods
  const readOnly = route.surface.retires ? 'this API is read-only, use GET' : 'use GET'
  const advice = methods ? `use ${methods.join(' or ')}` : readOnly
  throw new ServiceError('method_not_allowed', `${method} is not possible here: ${advice}.`, {
    headers: { Allow: allowedMethods(route) },
  })
}

/** A host name or an IP address, with an optional port. Commas are refused, because they join the values of repeated headers. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** Accepts an empty `Host`, and a missing one, which HTTP/1.0 allows. */
export function checkHost({ headers }: Request): void {
  if (HOST.test(headers.get('host') ?? '')) return
  throw new ServiceError(
    'invalid_request',
    'Host must be one host name or IP address, with an optional port.',
  )
}

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

/** If a larger body is refused unread, its connection is closed: a new connection takes less time than reading the body. */
const MOST_IGNORED_BYTES = 64 * 1024

export const hasLargeUnreadBody = (request: Request) =>
  declaredLength(request) > MOST_IGNORED_BYTES && !request.bodyUsed

export const bodyTooLarge = () =>
  new ServiceError('content_too_large', `The body may have at most ${MAX_BODY_BYTES} bytes.`, {
    headers: { Connection: 'close' },
  })

export function refuseLargeBody({ request, route }: Context): Response | undefined {
  if (declaredLength(request) <= MAX_BODY_BYTES) return undefined
  if (route.surface.errors.includes('content_too_large')) throw bodyTooLarge()
  return new Response(null, { status: 413, headers: { Connection: 'close' } })
}

/** Headers need no check: Bun responds 431 when the request line and the headers exceed 16 KiB. */
const MAX_TARGET = 8 * 1024

/** The client's own request id, if it is safe to log; otherwise a new one. */
export function requestIdOf({ headers }: Request): string {
  const given = headers.get('x-request-id')
  return given !== null && /^[\w.-]{1,64}$/.test(given) ? given : crypto.randomUUID()
}

/** The scheme and host of the request; empty if its `Host` is malformed. */
const originOf = ({ url }: Request) => url.slice(0, pathStart(url))

/** The public scheme and host of the service. Without PUBLIC_URL they come from `Host`, which is untrusted input. */
export const publicOriginOf = (request: Request, publicUrl: string): string =>
  publicUrl || (parseOrigin(originOf(request))?.origin ?? '')

const LOOPBACK = /^https?:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/

/** The origin of the service; `undefined` without PUBLIC_URL, because the requested one may be forged, unless it is this machine. */
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

/** The decoded parameters of the path; `undefined` if it does not match the pattern. A malformed escape does not throw. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  if (pattern.endsWith('/*')) return path.startsWith(pattern.slice(0, -1)) ? {} : undefined
  const [wanted, given] = [pattern.split('/'), path.split('/', MOST_PARTS)]
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index]
    if (part.startsWith(':') && value) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return wanted.length === given.length ? params : undefined
}
