import type { UsageCounter } from '../../features/keys/usage-counter.ts'
import { notFound } from '../basics/errors.ts'
import { urlOf } from '../basics/url.ts'
import { createDigestFinder } from '../scoring/rules-digests.ts'
import { RULE_SETS } from '../store/sql/rules.ts'
import { admit } from './admit.ts'
import type { HoldLimits } from './backpressure/held-bytes.ts'
import { createBackpressure, IDLE_SECONDS } from './backpressure/turns-and-large-pages.ts'
import { ANONYMOUS_PRINCIPAL, checkScope, createClientAddressOf, isInBrowser } from './client-identity.ts'
import { presentError } from './errors.ts'
import { createEventStreams, type StreamLimits } from './event-streams.ts'
import {
  bodyTooLarge,
  checkHost,
  checkMethod,
  declaredLength,
  groupByPath,
  isBodyTooLarge,
  matchPath,
  pathOf,
  publicOriginOf,
  requestIdOf,
  selectRoute,
  summaryOf,
} from './parse-request.ts'
import { charge, type Limiter, unitsOfBody } from './rate-limit.ts'
import { createPageCache } from './rendered-page.ts'
import type { Metrics } from './request-metrics.ts'
import {
  addHeaders,
  baseHeaders,
  checkIfMatch,
  createInitialHeaders,
  type ErrorHandling,
  type HeaderOptions,
  preflight,
  respondToError,
} from './response.ts'
import {
  type Context,
  createGuardFinder,
  type Exchange,
  type Guard,
  type RequestSummary,
  type Route,
  type RouteRequest,
  route,
  SERVICE,
  type ServerContext,
  withSlash,
} from './route.ts'
import { describeUnknownPath, guessablePaths } from './unknown-path.ts'

export type ApiServerOptions = ErrorHandling &
  HeaderOptions &
  Pick<ServerContext, 'store' | 'index' | 'explain' | 'explainAll' | 'now' | 'requireKey'> &
  Partial<Pick<ServerContext, 'signing' | 'contact' | 'webhookAllowPrivate'>> & {
    host: string
    port: number
    reusePort?: boolean | undefined
    /** The contents of PEM files. With them, the server uses HTTPS and HTTP/2. */
    tls?: { cert: string; key: string } | undefined
    publicUrl?: string | undefined
    /** How to get a key, for errors of v3. */
    keyHelp?: string | undefined
    /** Whether the service has pages and cards. */
    explorer?: boolean
    limits?: Partial<StreamLimits & HoldLimits> | undefined
    routes: readonly Route[]
    guards?: readonly Guard[]
    limiter: Limiter
    /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: readonly string[]
    usage: UsageCounter
    metrics?: Metrics | undefined
    onResponse?: ((summary: RequestSummary) => void) | undefined
  }

/** Bun itself responds to larger bodies, with an empty 413. */
const MAX_RUNTIME_BODY_BYTES = 64 * 1024 * 1024

const NOT_FOUND = route(SERVICE, { path: '/*', name: 'not_found' })

export type ApiServer = ReturnType<typeof startApiServer>

export function startApiServer(options: ApiServerOptions) {
  const { host, port, reusePort = false, tls } = options
  const state = createServerState(options)
  const { streams } = state.shared
  const byPath = groupByPath(options.routes.flatMap(withSlash))
  const byFolder = Map.groupBy(byPath, ([path]) => folderOf(path))

  const toBunRoute = ([path, routes]: [string, Route[]]) => [
    path,
    (request: RouteRequest, server: Bun.Server<undefined>) =>
      handle(state, selectRoute(routes, request.method), request, server),
  ]

  /** Matches wildcard routes and paths with repeated slashes. Bun's own wildcards do not collapse "//". */
  function handleOther(request: Request, server: Bun.Server<undefined>): Promise<Response> {
    const path = pathOf(request)
    for (const [pattern, routes] of byFolder.get(folderOf(path)) ?? []) {
      const params = matchPath(pattern, path)
      if (params)
        return handle(state, selectRoute(routes, request.method), Object.assign(request, { params }), server)
    }
    return handle(state, NOT_FOUND, Object.assign(request, { params: {} }), server)
  }

  const server = Bun.serve({
    hostname: host,
    port,
    reusePort,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: MAX_RUNTIME_BODY_BYTES,
    ...(tls && { tls: { cert: tls.cert, key: tls.key }, http2: true }),
    routes: Object.fromEntries([...byPath].filter(([path]) => !path.endsWith('*')).map(toBunRoute)),
    fetch: handleOther,
    // Reached only if building a response fails.
    error(error) {
      const id = crypto.randomUUID()
      options.onError(error, { id, method: 'other', route: 'other' })
      const { status, headers, body } = presentError(undefined, id)
      return new Response(body, { status, headers: baseHeaders({ ...headers, 'X-Request-Id': id }) })
    },
  })
  const bound = server.port ?? port
  return {
    url: urlOf(host, bound, tls ? 'https' : 'http'),
    port: bound,
    /** Open streams are not included. */
    requestsInProgress: () => server.pendingRequests - streams.count(),
    openStreams: streams.count,
    /** From now on, each response ends its connection. Returns the milliseconds since the last request. */
    endConnections(): number {
      state.isDraining = true
      return state.now() - state.lastRequestAt
    },
    /** Bytes of large bodies that are not sent yet. */
    heldBytes: state.shared.backpressure.held.total,
    stop(force = false) {
      streams.end()
      return server.stop(force)
    },
  }
}

/** The first segment of a path. */
const folderOf = (path: string) => path.split('/', 2)[1]

type ServerState = ReturnType<typeof createServerState>

/** The options, and what all requests share. */
function createServerState(options: ApiServerOptions) {
  const { store, index, explain, explainAll, now, requireKey, signing } = options
  const { publicUrl = '', contact, explorer = false, webhookAllowPrivate = false } = options
  // Contexts copy these members for each request, so they do not get all options.
  const shared: ServerContext = {
    ...{ store, index, explain, explainAll, now, requireKey, webhookAllowPrivate },
    ...{ signing, publicUrl, contact, findDigests: createDigestFinder(store.data(RULE_SETS)) },
    streams: createEventStreams({ ...options, source: `${publicUrl}/api/v3` }),
    pages: createPageCache(),
    backpressure: createBackpressure(options.limits),
    cardsOf: (request: Request) => (explorer ? `${publicOriginOf(request, publicUrl)}/card/` : ''),
  }
  const guardsOf = createGuardFinder(options.guards ?? [])
  return {
    ...options,
    shared,
    guardsOf,
    findKey: (id: string) => store.keys.find(id),
    addressOf: createClientAddressOf(options.trustedProxies),
    headersOf: createInitialHeaders(guardsOf, options),
    guessable: guessablePaths(options.routes),
    isDraining: false,
    lastRequestAt: 0,
  }
}

function handle(state: ServerState, route: Route, request: RouteRequest, server: Bun.Server<undefined>) {
  const time = state.now()
  state.lastRequestAt = time
  return respond(state, {
    request,
    route,
    id: requestIdOf(request),
    time,
    startedAt: performance.now(),
    address: () => state.addressOf(server.requestIP(request)?.address ?? '', request.headers),
    server,
    principal: ANONYMOUS_PRINCIPAL,
    key: undefined,
    tier: undefined,
    consumed: undefined,
    units: 1,
    isFree: false,
    hasPlace: false,
    hasOwnStallLimit: false,
  })
}

/** The headers depend on the tier of the client. */
const contextOf = (state: ServerState, exchange: Exchange): Context => ({
  ...state.shared,
  exchange,
  principal: exchange.principal,
  headers: state.headersOf(exchange.route.surface, exchange.consumed && exchange.tier),
  charge: (...options) => charge(state.limiter, exchange, ...options),
  limitProofs: () => state.limiter.consumeProof(exchange.address()),
  limitHiding: state.limiter.consumeHiding,
  limitWebhookChanges: () => state.limiter.consumeWebhookChange(exchange.principal.id),
  onError: (error) => state.onError(error, summaryOf(exchange)),
})

/** Authenticates, checks the rate limit and calls the handler. Awaits only promises, because each `await` is slow. */
async function respond(state: ServerState, exchange: Exchange): Promise<Response> {
  const { limiter } = state
  const { request, route } = exchange
  const { surface } = route
  try {
    checkHost(request)
    if (isBodyTooLarge(request)) {
      if (surface.errors.includes('content_too_large')) throw bodyTooLarge()
      return new Response(null, { status: 413, headers: { Connection: 'close' } })
    }
    if (request.method === 'OPTIONS') {
      return complete(state, exchange, preflight(contextOf(state, exchange), route))
    }
    const guards = state.guardsOf(surface)
    for (const guard of guards) guard.checkFirst?.(exchange)
    if (!route.handle) throw notFound(route.missing ?? describeUnknownPath(pathOf(request), state.guessable))
    await admit(state, exchange, surface, (state.requireKey && !route.access) || route.needsKey)
    const { key } = exchange
    if (key && isInBrowser(key, request, state.publicUrl)) state.usage.noteInBrowser(key.id)
    checkMethod(request.method, route)
    checkScope(exchange.principal, route.scope)
    // Units are charged before the request waits for its turn and before its body is received.
    const units = route.units + (route.body ? unitsOfBody(declaredLength(request)) : 0)
    if (units > 1) charge(limiter, exchange, units)
    for (const guard of guards) guard.check?.(exchange)
    if (!route.isImmediate) await state.shared.backpressure.takeTurn(request)
    const handled = route.handle(request, contextOf(state, exchange))
    const response = handled instanceof Promise ? await handled : handled
    checkIfMatch(request, response)
    return complete(state, exchange, response)
  } catch (error) {
    const response = await respondToError(state, contextOf(state, exchange), error)
    return complete(state, exchange, response)
  }
}

/** Adds the headers, and counts the response. */
function complete(state: ServerState, exchange: Exchange, response: Response): Response {
  const completed = addHeaders(exchange, response)
  // HTTP/2 has no such header: the runtime removes it, and sends GOAWAY when the server stops.
  if (state.isDraining) completed.headers.set('Connection', 'close')
  const { status } = completed
  const { route, time, startedAt, principal, units, tier, address, isFree } = exchange
  const keyId = principal.id
  // The monthly quota ignores 304s, so a 304 that is not free is counted as a 200.
  const counted = status === 304 && !isFree ? 200 : status
  if (route.surface.usesKeys) state.usage.count(keyId, route.name, counted, time, units)
  const seconds = (performance.now() - startedAt) / 1000
  const tierName = tier?.name ?? 'none'
  state.metrics?.countRequest(route.name, status, tierName, seconds)
  state.onResponse?.({ ...summaryOf(exchange), status, seconds, keyId, tier: tierName, address })
  return completed
}
