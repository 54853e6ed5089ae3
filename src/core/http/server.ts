import type { Awaitable } from '../basics/awaitable.ts'
import { urlOf } from '../basics/url.ts'
import { createDigestFinder } from '../scoring/rules-digests.ts'
import { RULE_SETS } from '../store/sql/rules.ts'
import { type BudgetLimits, createByteBudget, heldBytes, IDLE_SECONDS, type Limited } from './byte-budget.ts'
import { ANONYMOUS_PRINCIPAL, createClientAddressOf } from './client-identity.ts'
import { presentError } from './errors.ts'
import { matchPath, pathOf, publicOriginOf, summaryOf } from './parse-request.ts'
import { charge } from './rate-limit.ts'
import { createPageCache } from './rendered-page.ts'
import { respond, type ServerState } from './respond.ts'
import { baseHeaders, createGuardFinder, createInitialHeaders, methodsOf } from './response.ts'
import type { Context, Guard, OpenStreams, Route, RouteRequest, ServerContext } from './route.ts'
import { route, SERVICE } from './route.ts'
import { guessablePaths } from './unknown-path.ts'

const NOT_FOUND = route(SERVICE, { path: '/*', name: 'not_found' })

type Server = ReturnType<typeof createServerState>

export type ServerOptions = Pick<
  ServerState,
  'errorPage' | 'onError' | 'counter' | 'onResponse' | 'keyHelp'
> &
  Pick<ServerContext, 'store' | 'index' | 'explain' | 'explainAll' | 'now' | 'requireKey' | 'limiter'> &
  Partial<Pick<ServerContext, 'signing' | 'contact' | 'webhookAllowPrivate'>> & {
    publicUrl?: string | undefined
    /** Whether search engines may list the pages; true by default. */
    isIndexed?: boolean
    /** Whether the service has pages and cards. */
    explorer?: boolean
    limits?: Partial<BudgetLimits & Pick<OpenStreams, 'commentMilliseconds'>> | undefined
    routes: readonly Route[]
    guards?: readonly Guard[]
    /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: readonly string[]
  }

export type ApiServerOptions = ServerOptions & {
  host: string
  port: number
  reusePort?: boolean | undefined
  /** The contents of PEM files. With them, the server uses HTTPS and HTTP/2. */
  tls?: { cert: string; key: string } | undefined
}

export type ApiServer = ReturnType<typeof startApiServer>

export function startApiServer(options: ApiServerOptions) {
  const { host, port, reusePort = false, tls } = options
  const state = createServerState(options)
  const server = Bun.serve({
    hostname: host,
    port,
    reusePort,
    development: false,
    idleTimeout: IDLE_SECONDS,
    maxRequestBodySize: 64 * 1024 * 1024, // Bun itself responds to larger bodies, with an empty 413.
    ...(tls && { tls: { cert: tls.cert, key: tls.key }, http2: true }),
    ...handlersOf(options.routes, state),
    error: (error) => respondToFault(error, options),
  })
  const { streams, budget } = state.shared
  const bound = server.port ?? port
  return {
    url: urlOf(host, bound, tls ? 'https' : 'http'),
    port: bound,
    /** Open streams are not included. */
    requestsInProgress: () => server.pendingRequests - streams.open.size,
    openStreams: () => streams.open.size,
    /** From now on, each response ends its connection. Returns the milliseconds since the last request. */
    endConnections(): number {
      state.isDraining = true
      return options.now() - state.lastRequestAt
    },
    heldBytes: () => heldBytes(budget),
    stop(force = false) {
      streams.isEnding = true
      return server.stop(force)
    },
  }
}

/** Called only if building a response fails. */
function respondToFault(error: unknown, { onError }: ServerOptions): Response {
  const id = crypto.randomUUID()
  onError(error, { id, method: 'other', route: 'other' })
  const { status, headers, body } = presentError(undefined, id)
  return new Response(body, { status, headers: baseHeaders({ ...headers, 'X-Request-Id': id }) })
}

function handlersOf(routes: readonly Route[], state: Server) {
  for (const { name } of [...routes, NOT_FOUND]) state.counter.addRoute(name)
  const byPath = groupByPath(routes.flatMap(withSlash))
  const bySegment = Map.groupBy(byPath, ([path]) => firstSegmentOf(path))
  const toBunRoute = ([path, candidates]: [string, Route[]]) => [
    path,
    (request: RouteRequest, server: Limited['server']) =>
      handle(state, selectRoute(candidates, request), request, server),
  ]
  return {
    routes: Object.fromEntries([...byPath].filter(([path]) => !path.endsWith('*')).map(toBunRoute)),
    /** Matches wildcard routes and paths with repeated slashes. Bun's own wildcards do not collapse "//". */
    fetch(request: Request, server: Limited['server']): Awaitable<Response> {
      const path = pathOf(request)
      for (const [pattern, candidates] of bySegment.get(firstSegmentOf(path)) ?? []) {
        const params = matchPath(pattern, path)
        if (params)
          return handle(state, selectRoute(candidates, request), Object.assign(request, { params }), server)
      }
      return handle(state, NOT_FOUND, Object.assign(request, { params: {} }), server)
    },
  }
}

function handle(state: Server, route: Route, request: RouteRequest, server: Limited['server']) {
  const context = state.createContext(request, route, server)
  state.lastRequestAt = context.time
  return respond(context, state)
}

export function createServerState(options: ServerOptions) {
  const { now, routes } = options
  const shared = sharedContextOf(options)
  const guardsOf = createGuardFinder(options.guards ?? [])
  const headersOf = createInitialHeaders(guardsOf, options.isIndexed)

  // What all requests share is on the prototype: copying it for each request is slow.
  class SharedContext extends RequestContext {}
  Object.assign(SharedContext.prototype, shared, createMethods(options))

  return {
    ...options,
    shared,
    guardsOf,
    headersOf,
    createContext: (request: RouteRequest, route: Route, server: Limited['server']) =>
      new SharedContext(request, route, server, now(), headersOf(route.surface, undefined)) as Context,
    guessable: guessablePaths(routes),
    isDraining: false,
    lastRequestAt: 0,
  }
}

type OwnMembers = Omit<Context, keyof ServerContext | keyof ReturnType<typeof createMethods>>

/** The members of a context that differ from request to request. */
class RequestContext implements OwnMembers {
  readonly request: RouteRequest
  readonly route: Route
  readonly server: Limited['server']
  readonly id: string
  readonly time: number
  readonly startedAt = performance.now()
  headers: Headers
  principal = ANONYMOUS_PRINCIPAL
  key: Context['key'] = undefined
  tier: Context['tier'] = undefined
  consumed: Context['consumed'] = undefined
  units = 1
  isFree = false

  constructor(
    request: RouteRequest,
    route: Route,
    server: Limited['server'],
    time: number,
    headers: Headers,
  ) {
    this.request = request
    this.route = route
    this.server = server
    this.id = requestIdOf(request)
    this.time = time
    this.headers = headers
  }
}

function createMethods({ limiter, trustedProxies, onError }: ServerOptions) {
  const addressOf = createClientAddressOf(trustedProxies)
  return {
    address(this: Context) {
      return addressOf(this.server.requestIP(this.request)?.address ?? '', this.request.headers)
    },
    charge(this: Context, units: number, advice?: string) {
      charge(limiter, this, units, advice)
    },
    onError(this: Context, error: unknown) {
      onError(error, summaryOf(this))
    },
  }
}

function sharedContextOf(options: ServerOptions): ServerContext {
  const { store, index, explain, explainAll, now, requireKey, signing, limiter } = options
  const { publicUrl = '', contact, explorer = false, webhookAllowPrivate = false } = options
  return {
    ...{ store, index, explain, explainAll, now, requireKey, webhookAllowPrivate, limiter },
    ...{ signing, publicUrl, contact, findDigests: createDigestFinder(store.data(RULE_SETS)) },
    streams: { open: new Set(), isEnding: false, commentMilliseconds: 15_000, ...options.limits },
    pages: createPageCache(),
    budget: createByteBudget(options.limits),
    cardsOf: (request: Request) => (explorer ? `${publicOriginOf(request, publicUrl)}/card/` : ''),
  }
}

/** The client's own request id, if it is safe to log; otherwise a new one. */
function requestIdOf({ headers }: Request): string {
  const id = headers.get('x-request-id')
  return id !== null && /^[\w.-]{1,64}$/.test(id) ? id : crypto.randomUUID()
}

const firstSegmentOf = (path: string) => path.split('/', 2)[1]

export function withSlash(route: Route): Route[] {
  const isSlashOptional = route.surface.ignoresSlash && !/[/*]$/.test(route.path)
  return isSlashOptional ? [route, { ...route, path: `${route.path}/` }] : [route]
}

/** Groups routes by path. The routes of a path differ in their methods, and each gets the methods of all. */
function groupByPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = Map.groupBy(routes, ({ path }) => path)
  for (const [path, group] of groups) {
    if (group.every(({ methods }) => !methods)) continue
    const pathMethods = [...new Set(group.flatMap(methodsOf))]
    const members = group.map((route) => ({ ...route, pathMethods }))
    groups.set(path, members)
  }
  return groups
}

/**
 * Selects the route of a path for the method of a request, preferably one that `isFor` it. The route that reads
 * responds to methods that the path does not have.
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
