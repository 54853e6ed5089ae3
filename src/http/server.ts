import http from 'node:http'
import type { ApiKey } from '../domain/api-key.ts'
import { notFound } from '../domain/errors.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import type { Tier } from '../domain/tier.ts'
import type { Endpoint } from '../domain/usage.ts'
import type { Awaitable, Store } from '../store/store.ts'
import { createAddressOf } from './address.ts'
import type { Answer } from './answer.ts'
import { authenticate } from './auth.ts'
import { preflight } from './cors.ts'
import type { Taken } from './counters.ts'
import { presentError, publicError } from './errors.ts'
import { etagOf, isFresh } from './etag.ts'
import { COMMON_HEADERS, createV1Headers } from './headers.ts'
import { getHealth, getReadiness } from './health.ts'
import type { Limiter } from './limits.ts'
import type { Metrics, Route } from './metrics.ts'
import { checkMethod, checkSize, nameMethod, originOf, splitUrl } from './request.ts'
import { requestIdOf } from './request-id.ts'
import { checkBrownout, checkRemoval } from './retirement.ts'
import type { UsageCounter } from './usage.ts'
import { createV1Routes, type Handler, isV1Path, type Route as V1Route } from './v1/routes.ts'

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
  /** Pages that show passports to people, where they are on. */
  explorer?: Explorer | undefined
  onError: (error: unknown, request: Pick<Answered, 'id' | 'method' | 'route'>) => void
  metrics?: Metrics | undefined
  /** Told of every answer, for logs. */
  onAnswer?: ((answered: Answered) => void) | undefined
}

export type PageRequest = {
  /** With its `/` in front. */
  path: string
  query: URLSearchParams
  /** The scheme and host of the address that was asked for. */
  origin: string
}

export type Explorer = {
  /** What renders the page at a path, if it is one of the explorer's. */
  find(path: string): ((request: PageRequest) => Awaitable<Answer>) | undefined
  /** A page for people in place of an error's JSON, on the explorer's paths. */
  presentError(status: number, message: string, requestId: string): Answer
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

function createHandler(options: ServerOptions) {
  const { store, now, limiter, usage, plan, pages, explorer, metrics, onError, onAnswer } = options
  const findV1 = createV1Routes(store)
  const own: Record<string, Handler> = { '/health': getHealth, '/ready': getReadiness(store) }
  for (const [path, page] of Object.entries(pages)) own[path] = typeof page === 'function' ? page : () => page
  const addressOf = createAddressOf(options.trustedProxies)
  const v1Headers = createV1Headers(options)
  const isTimed = metrics !== undefined || onAnswer !== undefined

  function answerOwn(exchange: Exchange): Awaitable<Answer> {
    const { request, path, query } = exchange
    exchange.route = ownRoute(path)
    const handler = Object.hasOwn(own, path) ? own[path] : undefined
    const page = handler ? undefined : explorer?.find(path)
    if (page) exchange.route = 'explorer'
    checkSize(request, path, query)
    if (!handler && !page) throw notFound()
    if (request.method === 'OPTIONS') return preflight()
    checkMethod(request.method)
    if (handler) return handler(new URLSearchParams(query))
    exchange.tier = limiter.tierOfPages()
    const taken = limiter.take(exchange.tier, undefined, exchange.address)
    const render = (counted: Taken | undefined) => {
      exchange.taken = counted
      return page?.({
        path,
        query: new URLSearchParams(query),
        origin: originOf(request.url),
      }) as Awaitable<Answer>
    }
    return taken instanceof Promise ? taken.then(render) : render(taken)
  }

  function answerV1(exchange: Exchange): Awaitable<Answer> {
    const { request, path, query } = exchange
    checkSize(request, path, query)
    const route = findV1(path)
    if (route) exchange.route = route.endpoint
    // Before all that may need the store. Preflights go on, so that pages can read the 410.
    if (request.method !== 'OPTIONS') checkRemoval(plan(), exchange.time)
    if (!route) throw notFound()
    if (request.method === 'OPTIONS') return preflight()
    // What is there at once is not waited for: that would cost a turn of the event loop at each step.
    const key = authenticate(request, exchange.address, options)
    return key instanceof Promise
      ? key.then((found) => countAndHandle(exchange, route, found))
      : countAndHandle(exchange, route, key)
  }

  function countAndHandle(exchange: Exchange, route: V1Route, key: ApiKey | undefined): Awaitable<Answer> {
    exchange.key = key?.id ?? ''
    exchange.tier = limiter.tierOf(key)
    const taken = limiter.take(exchange.tier, key, exchange.address)
    return taken instanceof Promise
      ? taken.then((counted) => handle(exchange, route, counted))
      : handle(exchange, route, taken)
  }

  function handle(exchange: Exchange, route: V1Route, taken: Taken | undefined): Awaitable<Answer> {
    exchange.taken = taken
    checkMethod(exchange.request.method)
    checkBrownout(plan(), exchange.time, exchange.key)
    return route.handle(new URLSearchParams(exchange.query))
  }

  function ownRoute(path: string): Route {
    if (path === '/health') return 'health'
    if (path === '/ready') return 'ready'
    return Object.hasOwn(own, path) ? 'page' : 'not_found'
  }

  function present(error: unknown, { id, request, route }: Exchange): Answer {
    const answer = presentError(error, id)
    if (answer.status >= 500) onError(error, { id, method: nameMethod(request.method), route })
    if (route !== 'explorer' || !explorer) return answer
    const page = explorer.presentError(answer.status, publicError(error).message, id)
    return { ...page, headers: { ...answer.headers, ...page.headers } }
  }

  function respond(exchange: Exchange, answer: Answer): Response {
    const { request, id, isV1, route, key, tier, taken, time, begin, address } = exchange
    const headers = isV1
      ? v1Headers(answer, taken && tier)
      : new Headers({ ...COMMON_HEADERS, ...answer.headers })
    const response = toResponse(request, answer, headers)
    response.headers.set('X-Request-Id', id)
    if (tier && taken) {
      const isFree = response.status === 304
      if (isFree) taken.giveBack()
      response.headers.set('RateLimit', limiter.describe(tier, taken.left + Number(isFree), taken.seconds))
    }
    const { status } = response
    if (isV1) usage.count(key, route as Endpoint, status, time)
    const seconds = isTimed ? (performance.now() - begin) / 1000 : 0
    metrics?.countRequest(route, status, tier?.name ?? NO_TIER, seconds)
    onAnswer?.({
      id,
      method: nameMethod(request.method),
      route,
      status,
      seconds,
      key,
      tier: tier?.name ?? NO_TIER,
      address,
    })
    return response
  }

  return (request: Request, server: Bun.Server<undefined>): Awaitable<Response> => {
    const { path, query } = splitUrl(request.url)
    const isV1 = isV1Path(path)
    const exchange: Exchange = {
      request,
      path,
      query,
      isV1,
      time: now(),
      begin: isTimed ? performance.now() : 0,
      id: requestIdOf(request),
      address: () => addressOf(request, server.requestIP(request)?.address ?? ''),
      route: 'other',
      key: '',
      tier: undefined,
      taken: undefined,
    }
    let answer: Awaitable<Answer>
    try {
      answer = isV1 ? answerV1(exchange) : answerOwn(exchange)
    } catch (error) {
      return respond(exchange, present(error, exchange))
    }
    if (!(answer instanceof Promise)) return respond(exchange, answer)
    return answer.catch((error) => present(error, exchange)).then((presented) => respond(exchange, presented))
  }
}

/** A request, and what becomes known of it on the way, also where that ends in an error. */
type Exchange = {
  readonly request: Request
  readonly path: string
  readonly query: string
  readonly isV1: boolean
  /** When it came; `begin` is the same to the microsecond. */
  readonly time: number
  readonly begin: number
  readonly id: string
  readonly address: () => string
  route: Route
  /** The id of the key. */
  key: string
  tier: Tier | undefined
  /** What was counted on its limit, if it has one. */
  taken: Taken | undefined
}

const NO_TIER = 'none'

function toResponse(request: Request, { status, body }: Answer, headers: Headers): Response {
  if (status !== 200) return new Response(body || null, { status, headers })
  const etag = etagOf(body)
  const isKnown = isFresh(request.headers.get('If-None-Match'), etag)
  const response = isKnown ? new Response(null, { status: 304, headers }) : new Response(body, { headers })
  response.headers.set('ETag', etag)
  if (isKnown) response.headers.delete('Content-Type')
  return response
}
