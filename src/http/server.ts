import http from 'node:http'
import { notFound, ServiceError } from '../domain/errors.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import type { Endpoint } from '../domain/usage.ts'
import type { Store } from '../store/store.ts'
import { createAddressOf } from './address.ts'
import type { Answer } from './answer.ts'
import { authenticate } from './auth.ts'
import { CORS_HEADERS, preflight } from './cors.ts'
import { presentError } from './errors.ts'
import { etagOf, isFresh } from './etag.ts'
import { getHealth, getReadiness } from './health.ts'
import type { Allowance, Limiter } from './limits.ts'
import type { Route } from './metrics.ts'
import { requestIdOf } from './request-id.ts'
import { checkBrownout, checkRemoval, retirementHeaders } from './retirement.ts'
import type { UsageCounter } from './usage.ts'
import { createV1Routes, type Handler, isV1Path } from './v1/routes.ts'

export type ServerOptions = {
  host: string
  port: number
  /** Lets other processes listen on the port too, if they also share it: Linux gives each a part of the connections. */
  sharePort?: boolean
  store: Store
  now: () => number
  requireKey: boolean
  /** Addresses and blocks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[]
  limiter: Limiter
  usage: UsageCounter
  /** How V1 ends, as it is known now. */
  plan: () => RetirementPlan
  /** Where the plan does not say. */
  deprecatedAt: number
  /** Answers by path: the reference page and its parts. */
  pages: Readonly<Record<string, Answer | (() => Answer)>>
  onError: (error: unknown, request: Pick<Answered, 'id' | 'method' | 'route'>) => void
  /** Told of every answer, for metrics and logs. */
  onAnswer?: ((answered: Answered) => void) | undefined
}

/** What may be told of a request: no path, query or key. */
export type Answered = {
  id: string
  method: string
  route: Route
  status: number
  seconds: number
  /** The id of the key; empty for callers without one. */
  key: string
  /** `none` where the request did not get that far. */
  tier: string
  address: () => string
}

const LONGEST_TARGET = 8 * 1024
const LARGEST_HEADERS = 16 * 1024

/** What is larger still is left to Bun. */
const LARGEST_HEAD = 64 * 1024

export function startServer(options: ServerOptions): Bun.Server<undefined> {
  // Bun's limit is the whole process's: 16 KiB unless raised, and it answers without a body.
  Object.assign(http, { maxHeaderSize: LARGEST_HEAD })
  return Bun.serve({
    hostname: options.host,
    port: options.port,
    development: false,
    // Outside development Bun shares the port by default, and a second server would start unnoticed.
    reusePort: options.sharePort === true,
    fetch: createHandler(options),
    // The handler answers every failure itself; this is for failures of the handler.
    error: () =>
      Response.json(
        { error: 'Something went wrong on our side.', code: 'internal', request_id: '' },
        { status: 500 },
      ),
  })
}

const commonHeaders = { ...CORS_HEADERS, 'X-Content-Type-Options': 'nosniff' }

/** They change with the plan alone. */
function createV1Headers({ plan, deprecatedAt }: ServerOptions): () => Record<string, string> {
  let known: RetirementPlan | undefined
  let headers: Record<string, string> = commonHeaders
  return () => {
    if (plan() !== known) {
      known = plan()
      headers = { ...commonHeaders, ...retirementHeaders(known, deprecatedAt) }
    }
    return headers
  }
}

function createHandler(options: ServerOptions) {
  const { store, now, requireKey, limiter, usage, plan, pages, onError, onAnswer } = options
  const findV1 = createV1Routes(store)
  const own: Record<string, Handler> = { '/health': getHealth, '/ready': getReadiness(store) }
  for (const [path, page] of Object.entries(pages)) own[path] = typeof page === 'function' ? page : () => page
  const addressOf = createAddressOf(options.trustedProxies)
  const v1Headers = createV1Headers(options)

  async function answerOwn(request: Request, path: string, query: string): Promise<Answer> {
    checkSize(request, path, query)
    const handler = Object.hasOwn(own, path) ? own[path] : undefined
    if (!handler) throw notFound()
    if (request.method === 'OPTIONS') return preflight()
    checkMethod(request.method)
    return handler(new URLSearchParams(query))
  }

  /** What becomes known of a V1 request on the way is left in `seen`, also where it ends in an error. */
  async function answerV1(
    request: Request,
    path: string,
    query: string,
    address: () => string,
    seen: Seen,
  ): Promise<Answer> {
    checkSize(request, path, query)
    const route = findV1(path)
    if (route) seen.endpoint = route.endpoint
    // Before all that may need the store. Preflights go on, so that pages can read the 410.
    if (request.method !== 'OPTIONS') checkRemoval(plan(), now())
    if (!route) throw notFound()
    if (request.method === 'OPTIONS') return preflight()
    const key = await authenticate(request, address, { store, now, requireKey, limiter })
    seen.key = key?.id ?? ''
    seen.tier = limiter.tierOf(key).name
    const allowance = limiter.take({ address, key })
    // What is counted here is there at once: waiting for it would cost a turn.
    seen.allowance = allowance instanceof Promise ? await allowance : allowance
    checkMethod(request.method)
    checkBrownout(plan(), now(), key?.id)
    return route.handle(new URLSearchParams(query))
  }

  function ownRoute(path: string): Route {
    if (path === '/health') return 'health'
    if (path === '/ready') return 'ready'
    return Object.hasOwn(own, path) ? 'page' : 'not_found'
  }

  function present(error: unknown, id: string, request: Request, route: Route): Answer {
    const answer = presentError(error, id)
    if (answer.status >= 500) onError(error, { id, method: nameMethod(request.method), route })
    return answer
  }

  return async (request: Request, server: Bun.Server<undefined>): Promise<Response> => {
    const begin = onAnswer ? performance.now() : 0
    const id = requestIdOf(request)
    const { path, query } = splitUrl(request.url)
    const address = () => addressOf(request, server.requestIP(request)?.address ?? '')
    if (!isV1Path(path)) {
      const route = ownRoute(path)
      const answer = await answerOwn(request, path, query).catch((error) =>
        present(error, id, request, route),
      )
      const response = toResponse(request, answer, { ...commonHeaders, 'X-Request-Id': id })
      onAnswer?.(tell(request, response, begin, { id, route, key: '', tier: NO_TIER, address }))
      return response
    }
    const seen: Seen = { endpoint: 'other', key: '', tier: NO_TIER, allowance: undefined }
    const answer = await answerV1(request, path, query, address, seen).catch((error) =>
      present(error, id, request, seen.endpoint),
    )
    const headers = { ...v1Headers(), 'X-Request-Id': id, ...seen.allowance?.headers }
    const response = toResponse(request, answer, headers)
    if (response.status === 304 && seen.allowance) {
      for (const [name, value] of Object.entries(seen.allowance.giveBack())) response.headers.set(name, value)
    }
    usage.count(seen.key, seen.endpoint, response.status)
    const { endpoint: route, key, tier } = seen
    onAnswer?.(tell(request, response, begin, { id, route, key, tier, address }))
    return response
  }
}

type Seen = { endpoint: Endpoint; key: string; tier: string; allowance: Allowance | undefined }

const NO_TIER = 'none'

function tell(
  request: Request,
  response: Response,
  begin: number,
  { id, route, key, tier, address }: Omit<Answered, 'method' | 'status' | 'seconds'>,
): Answered {
  const seconds = (performance.now() - begin) / 1000
  return {
    id,
    method: nameMethod(request.method),
    route,
    status: response.status,
    seconds,
    key,
    tier,
    address,
  }
}

const KNOWN_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'])

/** A method is whatever the caller wrote. */
const nameMethod = (method: string) => (KNOWN_METHODS.has(method) ? method : 'other')

function toResponse(request: Request, answer: Answer, common: Record<string, string>): Response {
  const headers: Record<string, string> = { ...common, ...answer.headers }
  if (answer.status !== 200) {
    return new Response(answer.body || null, { status: answer.status, headers })
  }
  const etag = etagOf(answer.body)
  headers.ETag = etag
  if (!isFresh(request.headers.get('If-None-Match'), etag)) return new Response(answer.body, { headers })
  delete headers['Content-Type']
  return new Response(null, { status: 304, headers })
}

/** Where the request has a bad `Host`, its address is the path alone. */
function splitUrl(url: string): { path: string; query: string } {
  const start = url.startsWith('/') ? 0 : url.indexOf('/', url.indexOf('//') + 2)
  const [target = ''] = url.slice(start).split('#', 1)
  const mark = target.indexOf('?')
  if (mark === -1) return { path: target, query: '' }
  return { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

function checkSize(request: Request, path: string, query: string): void {
  if (path.length + query.length > LONGEST_TARGET) {
    throw new ServiceError(
      'uri_too_long',
      `The path and query may have at most ${LONGEST_TARGET} characters.`,
    )
  }
  let size = 0
  for (const [name, value] of request.headers) size += name.length + value.length
  if (size > LARGEST_HEADERS) {
    throw new ServiceError('headers_too_large', `The headers may have at most ${LARGEST_HEADERS} characters.`)
  }
}

function checkMethod(method: string): void {
  if (method === 'GET' || method === 'HEAD') return
  throw new ServiceError(
    'method_not_allowed',
    `${method} is not possible here: this API is read-only, use GET.`,
  )
}
