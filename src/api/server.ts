import { type ApiKey, keyState } from '../domain/api-key.ts'
import { ClientGone, notFound, unauthorized } from '../domain/errors.ts'
import { NO_PLAN, type RetirementPlan } from '../domain/retirement.ts'
import type { Tier } from '../domain/tier.ts'
import type { Endpoint } from '../domain/usage.ts'
import { createAddressOf } from './address.ts'
import { type GivenKey, matchesKey, readKey } from './auth.ts'
import { internalError, presentError, publicError } from './errors.ts'
import type { Consumed } from './fixed-window.ts'
import { HEALTH_ROUTES } from './health.ts'
import type { Metrics, RouteName } from './metrics.ts'
import { urlOf } from './open-port.ts'
import { type Page, sendPage } from './page.ts'
import { createPageCache } from './page-cache.ts'
import type { Limiter } from './rate-limit.ts'
import {
  type Context,
  checkMethod,
  matchPath,
  methodName,
  pathOf,
  type Route,
  type RouteRequest,
  requestIdOf,
} from './request.ts'
import { baseHeaders, createV1Headers, matchesEtag, preflight } from './response.ts'
import { checkBrownout, checkRemoval } from './retirement.ts'
import type { UsageCounter } from './usage.ts'
import { V1_ROUTES } from './v1/routes.ts'

export type ServerOptions = RequestOptions &
  Pick<Context, 'store' | 'catalog'> & {
    host: string
    port: number
    /** Lets other servers listen on the same port. */
    reusePort?: boolean | undefined
    /** HTTPS with HTTP/2; the contents of PEM files. */
    tls?: { cert: string; key: string; http3: boolean } | undefined
    /** Beside those of V1, `/health` and `/ready`. */
    routes: readonly Route[]
  }

export type ApiServer = { url: URL; port: number; stop(force?: boolean): Promise<void> }

const LARGEST_BODY = 1024 * 1024
const IDLE_SECONDS = 75

const NOT_FOUND: Route = { path: '/*', kind: 'own', name: 'not_found' }

/** Serves until it is stopped. Throws where the port cannot be had. */
export function startServer(options: ServerOptions): ApiServer {
  const { host, port, reusePort = false, tls, store, catalog } = options
  const service = createService(options, { store, catalog, pages: createPageCache() })
  const routes = [...V1_ROUTES, ...HEALTH_ROUTES, ...options.routes].flatMap(withSlash)

  /** Matches wildcard routes and paths with repeated slashes. Bun's wildcards would match "//" before we can collapse it. */
  function handleOther(request: Request, server: Bun.Server<undefined>): Promise<Response> {
    const path = pathOf(request)
    for (const route of routes) {
      const params = matchPath(route.path, path)
      if (params) return handle(service, route, Object.assign(request, { params }), server)
    }
    return handle(service, NOT_FOUND, Object.assign(request, { params: {} }), server)
  }

  const server = Bun.serve({
    hostname: host,
    port,
    reusePort,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: LARGEST_BODY,
    ...(tls && { tls: { cert: tls.cert, key: tls.key }, http2: true, http3: tls.http3 }),
    routes: Object.fromEntries(
      routes
        .filter(({ path }) => !path.endsWith('*'))
        .map((route) => [
          route.path,
          (request: RouteRequest, server: Bun.Server<undefined>) => handle(service, route, request, server),
        ]),
    ),
    fetch: handleOther,
    // Only a failure to build a response gets here.
    error(error) {
      const id = crypto.randomUUID()
      options.onError(error, { id, method: 'other', route: 'other' })
      return internalError(id)
    },
  })
  const bound = server.port ?? port
  return {
    url: urlOf(host, bound, tls ? 'https' : 'http'),
    port: bound,
    stop: (force = false) => server.stop(force),
  }
}

/** The route, and the same with a slash at the end, where that makes no difference. */
function withSlash(route: Route): Route[] {
  const isSame = route.kind !== 'own' && !route.path.endsWith('/') && !route.path.endsWith('*')
  return isSame ? [route, { ...route, path: `${route.path}/` }] : [route]
}

type RequestOptions = {
  now: () => number
  requireKey: boolean
  limiter: Limiter
  /** Addresses and blocks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[]
  usage: UsageCounter
  /** How V1 ends, as it is known now. */
  plan: () => RetirementPlan
  /** Where the plan does not say. */
  deprecatedAt: number
  /** The body of an error on a `page` route. */
  errorPage?: ((status: number, message: string, requestId: string) => Page) | undefined
  onError: (error: unknown, request: Pick<RequestSummary, 'id' | 'method' | 'route'>) => void
  metrics?: Metrics | undefined
  /** Called after every request, for logs. */
  onResponse?: ((summary: RequestSummary) => void) | undefined
}

/** What may be logged of a request: no path, query or key. */
export type RequestSummary = {
  id: string
  method: string
  route: RouteName
  status: number
  seconds: number
  /** The id of the key; empty for clients without one. */
  key: string
  /** `none` where the request did not get that far. */
  tier: string
  address: () => string
}

/** A request, and what becomes known of it until its response is sent. */
type Exchange = {
  readonly request: RouteRequest
  readonly route: Route
  readonly id: string
  readonly time: number
  readonly begin: number
  readonly address: () => string
  /** The id of the key. */
  key: string
  tier: Tier | undefined
  /** What was counted on the limit of the tier, if it has one. */
  consumed: Consumed | undefined
}

const NO_TIER = 'none'

const COMMON_HEADERS = baseHeaders({})

/** What all requests of a server share. */
type Service = RequestOptions & {
  shared: Omit<Context, 'headers'>
  addressOf: ReturnType<typeof createAddressOf>
  v1Headers: ReturnType<typeof createV1Headers>
  isTimed: boolean
}

const createService = (options: RequestOptions, shared: Service['shared']): Service => ({
  ...options,
  shared,
  addressOf: createAddressOf(options.trustedProxies),
  v1Headers: createV1Headers(options),
  isTimed: options.metrics !== undefined || options.onResponse !== undefined,
})

/** Takes a request through authentication, limits and its handler, and adds the headers that all responses have. */
function handle(
  service: Service,
  route: Route,
  request: RouteRequest,
  server: Bun.Server<undefined>,
): Promise<Response> {
  return respond(service, {
    request,
    route,
    id: requestIdOf(request),
    time: service.now(),
    begin: service.isTimed ? performance.now() : 0,
    address: () => service.addressOf(server.requestIP(request)?.address ?? '', request.headers),
    key: '',
    tier: undefined,
    consumed: undefined,
  })
}

/** The context of a request: its headers depend on the tier of the client. */
const contextOf = ({ shared, v1Headers }: Service, { route, consumed, tier }: Exchange): Context => ({
  ...shared,
  headers: route.kind === 'v1' ? v1Headers(consumed && tier) : COMMON_HEADERS,
})

/** One function: each further one that is awaited costs every request. */
async function respond(service: Service, exchange: Exchange): Promise<Response> {
  const { limiter, plan } = service
  const { request, route, address } = exchange
  try {
    if (request.method === 'OPTIONS') {
      return complete(service, exchange, preflight(contextOf(service, exchange), route))
    }
    // Before anything that may need the store.
    const ending = route.kind === 'v1' && plan() !== NO_PLAN ? plan() : undefined
    if (ending) checkRemoval(ending, exchange.time)
    if (!route.handle) throw notFound()
    if (route.kind === 'v1') {
      const given = readKey(request.headers.get('x-api-key'))
      const key = given?.id === undefined ? undefined : await service.shared.store.keys.find(given.id)
      if (given && !matchesKey(given, key)) await limiter.consumeWrongKey(address())
      checkKey(service, given, key)
      exchange.key = key?.id ?? ''
      exchange.tier = limiter.tierOf(key)
      exchange.consumed = limiter.check(exchange.tier, await limiter.consume(exchange.tier, key, address))
    }
    checkMethod(request.method, route)
    if (ending) checkBrownout(ending, exchange.time, exchange.key)
    if (route.kind === 'page') {
      exchange.tier = limiter.tierOfPages()
      exchange.consumed = limiter.check(
        exchange.tier,
        await limiter.consume(exchange.tier, undefined, address),
      )
    }
    return complete(service, exchange, await route.handle(request, contextOf(service, exchange)))
  } catch (error) {
    return complete(service, exchange, fail(service, exchange, error))
  }
}

/** Throws `unauthorized` for a wrong, revoked or expired key, and for none where one is required. */
function checkKey({ requireKey, now }: Service, given: GivenKey | undefined, key: ApiKey | undefined): void {
  const isAdmitted = given ? matchesKey(given, key) && keyState(key, now()) === 'active' : !requireKey
  if (!isAdmitted) throw unauthorized()
}

function fail(service: Service, exchange: Exchange, error: unknown): Response {
  const { onError, errorPage } = service
  const { request, route, id } = exchange
  const context = contextOf(service, exchange)
  // Nobody receives it; proxies log this status for the same case.
  if (error instanceof ClientGone) return new Response(null, { status: 499, headers: context.headers })
  const { status, headers, body } = presentError(error, id)
  if (status >= 500) onError(error, { id, method: methodName(request.method), route: route.name })
  if (route.kind === 'page' && errorPage) {
    const page = errorPage(status, publicError(error).message, id)
    return sendPage(request, context, { ...page, headers: { ...headers, ...page.headers } })
  }
  const response = new Response(body, { status, headers: context.headers })
  for (const name in headers) response.headers.set(name, headers[name] as string)
  return response
}

/** Adds the headers that differ from request to request, and counts the response. */
function complete(service: Service, exchange: Exchange, response: Response): Response {
  const completed = addHeaders(service, exchange, response)
  record(service, exchange, completed.status)
  return completed
}

/** Turns a 200 whose ETag matches If-None-Match into a 304, which costs no quota. */
function addHeaders({ limiter }: Service, exchange: Exchange, response: Response): Response {
  const { request, id, tier, consumed } = exchange
  const { headers } = response
  const condition = response.status === 200 ? request.headers.get('if-none-match') : null
  const isFresh = condition !== null && matchesEtag(condition, headers.get('ETag') ?? '')
  headers.set('X-Request-Id', id)
  if (isFresh) consumed?.refund()
  if (tier && consumed) {
    headers.set('RateLimit', limiter.describe(tier, consumed.left + Number(isFresh), consumed.seconds))
  }
  if (!isFresh) return response
  headers.delete('Content-Type')
  headers.delete('Content-Encoding')
  return new Response(null, { status: 304, headers })
}

function record(service: Service, exchange: Exchange, status: number): void {
  const { usage, metrics, onResponse } = service
  const { request, route, id, time, begin, key, tier, address } = exchange
  if (route.kind === 'v1') usage.count(key, route.name as Endpoint, status, time)
  if (!service.isTimed) return
  const seconds = (performance.now() - begin) / 1000
  const tierName = tier?.name ?? NO_TIER
  metrics?.countRequest(route.name, status, tierName, seconds)
  const method = methodName(request.method)
  onResponse?.({ id, method, route: route.name, status, seconds, key, tier: tierName, address })
}
