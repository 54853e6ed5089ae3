import type { Awaitable } from '../basics/awaitable.ts'
import { urlOf } from '../basics/url.ts'
import { heldBytes, IDLE_SECONDS } from './byte-budget.ts'
import { presentError } from './errors.ts'
import { groupByPath, matchPath, pathOf, selectRoute, withSlash } from './parse-request.ts'
import { createServerState, respond, type ServerOptions, type ServerState } from './respond.ts'
import { baseHeaders } from './response.ts'
import { type Route, type RouteRequest, route, SERVICE } from './route.ts'

/** Bun itself responds to larger bodies, with an empty 413. */
const MAX_RUNTIME_BODY_BYTES = 64 * 1024 * 1024

const NOT_FOUND = route(SERVICE, { path: '/*', name: 'not_found' })

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
  const { streams } = state.shared
  for (const { name } of [...options.routes, NOT_FOUND]) options.counter.addRoute(name)
  const byPath = groupByPath(options.routes.flatMap(withSlash))
  const byFolder = Map.groupBy(byPath, ([path]) => folderOf(path))

  const toBunRoute = ([path, routes]: [string, Route[]]) => [
    path,
    (request: RouteRequest, server: Bun.Server<undefined>) =>
      handle(state, selectRoute(routes, request), request, server),
  ]

  /** Matches wildcard routes and paths with repeated slashes. Bun's own wildcards do not collapse "//". */
  function handleOther(request: Request, server: Bun.Server<undefined>): Awaitable<Response> {
    const path = pathOf(request)
    for (const [pattern, routes] of byFolder.get(folderOf(path)) ?? []) {
      const params = matchPath(pattern, path)
      if (params)
        return handle(state, selectRoute(routes, request), Object.assign(request, { params }), server)
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
    requestsInProgress: () => server.pendingRequests - streams.open.size,
    openStreams: () => streams.open.size,
    /** From now on, each response ends its connection. Returns the milliseconds since the last request. */
    endConnections(): number {
      state.isDraining = true
      return state.now() - state.lastRequestAt
    },
    /** Bytes of bodies that are received, rendered or sent. */
    heldBytes: () => heldBytes(state.shared.budget),
    stop(force = false) {
      streams.isEnding = true
      return server.stop(force)
    },
  }
}

/** The first segment of a path. */
const folderOf = (path: string) => path.split('/', 2)[1]

function handle(state: ServerState, route: Route, request: RouteRequest, server: Bun.Server<undefined>) {
  const context = state.createContext(request, route, server)
  state.lastRequestAt = context.time
  return respond(context, state)
}
