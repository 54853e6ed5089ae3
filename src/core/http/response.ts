import type { Awaitable } from '../basics/awaitable.ts'
import { ClientGone, ServiceError } from '../basics/errors.ts'
import { etagOf } from '../basics/hash.ts'
import type { Tier } from '../config/rate-limit-tier.ts'
import { holdBody, type Limited, releaseBody } from './byte-budget.ts'
import { type PublicError, publicError } from './errors.ts'
import { hasLargeUnreadBody, type LoggedRequest, pathOf } from './parse-request.ts'
import { describeLimit, policyOf } from './rate-limit.ts'
import { acceptsHtml, prefersJson, type RenderedPage, sendPage } from './rendered-page.ts'
import type { Context, Guard, Route, Surface } from './route.ts'

/** Pages of any origin may read every response and all of its headers. */
const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Allow, Content-Location, Deprecation, ETag, Event-Cursor, Link, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-Request-Id',
  'X-Content-Type-Options': 'nosniff',
}

/** Caches must revalidate before each use, because data changes at any time. */
export const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' }

/** The initial headers of a response. Copying a `Headers` costs less than setting each header. */
export const baseHeaders = (headers: Readonly<Record<string, string>>): Headers =>
  new Headers({ ...CORS_HEADERS, ...JSON_HEADERS, ...headers })

export function json(context: Limited & { headers: Headers }, body: string): Response {
  holdBody(context, body.length)
  const response = new Response(body, { headers: context.headers })
  response.headers.set('ETag', etagOf(body))
  return response
}

/**
 * Sends chunks as they are rendered: the next one when the client has received the previous one. The first one is
 * rendered before the response begins, so that an early failure becomes an error response.
 */
export async function stream(context: Context, type: string, chunks: AsyncGenerator<string>) {
  const encoder = new TextEncoder()
  let first: IteratorResult<string> | undefined = await chunks.next()
  let isCancelled = false
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      try {
        const { value, done } = first ?? (await chunks.next())
        first = undefined
        if (isCancelled) return
        if (!done) return controller.enqueue(encoder.encode(value))
        releaseBody(context)
        controller.close()
      } catch (error) {
        releaseBody(context)
        if (isCancelled || error instanceof ClientGone) return
        context.onError(error)
        controller.error(error)
      }
    },
    /** Bun cancels the stream of a client that has disconnected. */
    async cancel() {
      isCancelled = true
      releaseBody(context)
      await chunks.return(undefined)
    },
  }
  const response = new Response(new ReadableStream(source, { highWaterMark: 0 }), {
    headers: context.headers,
  })
  response.headers.set('Content-Type', type)
  return response
}

const READ_ONLY = ['GET', 'HEAD']

export const methodsOf = ({ methods = READ_ONLY }: Route) => methods

export const allowedMethods = (route: Route) =>
  [...(route.pathMethods ?? methodsOf(route)), 'OPTIONS'].join(', ')

/** The response to OPTIONS, whether or not it is a CORS preflight. */
export function preflight(headers: Headers, route: Route): Response {
  const response = new Response(null, { status: 204, headers })
  for (const name in JSON_HEADERS) response.headers.delete(name)
  const methods = allowedMethods(route)
  response.headers.set('Allow', methods)
  response.headers.set('Access-Control-Allow-Methods', methods)
  // `*` does not include Authorization, and older browsers do not support `*`.
  response.headers.set(
    'Access-Control-Allow-Headers',
    'X-API-KEY, Content-Type, Authorization, If-None-Match, X-Request-Id, *',
  )
  response.headers.set('Access-Control-Max-Age', '86400')
  return response
}

const isAny = (condition: string) => condition.trim() === '*'

/** The ETag for If-Match and If-None-Match, which are ignored without one (event streams, POST). */
const etagToMatch = ({ status, headers }: Response) => (status === 200 ? headers.get('ETag') : null)

/** Throws `precondition_failed` if a response has none of the ETags in `If-Match`, by strong comparison. */
export function checkIfMatch({ headers }: Request, response: Response): void {
  const condition = headers.get('if-match')
  const etag = condition === null ? null : etagToMatch(response)
  if (etag === null || condition === null || isAny(condition)) return
  if (condition.includes(etag) && condition.split(',').some((tag) => tag.trim() === etag)) return
  throw new ServiceError(
    'precondition_failed',
    'If-Match does not contain the current ETag: send the request without it.',
  )
}

/** Weak comparison, as RFC 9110 requires for `If-None-Match`. */
const matchesEtag = (condition: string, etag: string) =>
  condition === etag ||
  isAny(condition) ||
  // Most conditions do not contain the ETag, and splitting a long one takes time.
  (condition.includes(etag) && condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))

export function createGuardFinder(guards: readonly Guard[]) {
  const bySurface = new Map<Surface, readonly Guard[]>()
  const find = (surface: Surface) => guards.filter(({ isFor }) => isFor(surface))
  return (surface: Surface) => bySurface.getOrInsertComputed(surface, find)
}

type GuardHeaders = ReturnType<NonNullable<Guard['headers']>>

/** Caches the initial headers of responses by surface and tier, until those of a guard change. */
export function createInitialHeaders(guardsOf: (surface: Surface) => readonly Guard[], isIndexed = true) {
  const headersByGuard = new Map<Guard, GuardHeaders | undefined>()
  const bySurface = new Map<Surface, Map<Tier | undefined, Headers>>()
  function add(surface: Surface, tier: Tier | undefined): Headers {
    const headers = baseHeaders({
      ...Object.assign({}, ...guardsOf(surface).map((guard) => headersByGuard.get(guard))),
      ...(surface.usesKeys && tier && { 'RateLimit-Policy': policyOf(tier) }),
      ...(!surface.usesKeys && !isIndexed && { 'X-Robots-Tag': 'noindex' }),
    })
    bySurface.getOrInsertComputed(surface, () => new Map()).set(tier, headers)
    return headers
  }

  return (surface: Surface, tier: Tier | undefined) => {
    for (const guard of guardsOf(surface)) {
      const headers = guard.headers?.()
      if (headers !== headersByGuard.get(guard)) bySurface.clear()
      headersByGuard.set(guard, headers)
    }
    return bySurface.get(surface)?.get(tier) ?? add(surface, tier)
  }
}

/** Turns a 200 into a 304 if its ETag matches. If the route `isCheap`, the 304 is free, except for `*`. */
export function addHeaders(context: Context, response: Response): Response {
  const { request, route, id, tier, consumed } = context
  const { headers } = response
  const condition = request.headers.get('if-none-match')
  const etag = condition === null ? null : etagToMatch(response)
  const isFresh = etag !== null && condition !== null && matchesEtag(condition, etag)
  headers.set('X-Request-Id', id)
  context.isFree =
    isFresh && route.isCheap?.(request) === true && !isAny(condition) && consumed?.refund() !== false
  if (tier && consumed) {
    const remaining = consumed.remaining + Number(context.isFree)
    headers.set('RateLimit', describeLimit(tier.name, remaining, consumed.seconds))
  }
  if (!isFresh) return response
  headers.delete('Content-Type')
  headers.delete('Content-Encoding')
  return new Response(null, { status: 304, headers })
}

export type ErrorHandling = {
  errorPage?:
    | ((status: number, error: PublicError, requestId: string, path: string) => RenderedPage)
    | undefined
  onError: (error: unknown, request: LoggedRequest) => void
}

/** Returns the error response, in the format of the route's surface. Browsers get HTML on unknown paths. */
export function respondToError(
  handling: ErrorHandling,
  context: Context,
  error: unknown,
): Awaitable<Response> {
  const { request, route, id } = context
  // The client has disconnected; proxies log status 499 in this case.
  if (error instanceof ClientGone) return new Response(null, { status: 499, headers: context.headers })
  const { status, headers, body } = route.surface.presentError(error, id)
  if (status >= 500 && !isNotReady(error)) context.onError(error)
  const path = pathOf(request)
  const page =
    route.surface.renderError?.(path, status) ??
    (wantsPage(route, request) ? handling.errorPage?.(status, publicError(error), id, path) : undefined)
  if (page) return sendPage(request, context, { ...page, headers: { ...headers, ...page.headers } })
  const response = new Response(body, { status, headers: context.headers })
  for (const name in headers) response.headers.set(name, headers[name] as string)
  if (hasLargeUnreadBody(request)) response.headers.set('Connection', 'close')
  return response
}

/** These errors are not logged here, but where they occur. */
const isNotReady = (error: unknown) => error instanceof ServiceError && error.code === 'not_ready'

/** On unknown paths outside of the API, a client gets a page only if its `Accept` names HTML. */
function wantsPage({ surface, name }: Route, request: Request): boolean {
  if (surface.errorsAs === 'page') return !prefersJson(request)
  return name === 'not_found' && acceptsHtml(request) && !pathOf(request).startsWith('/api/')
}
