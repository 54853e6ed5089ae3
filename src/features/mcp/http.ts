import { isIP } from 'node:net'
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { ServiceError, STATUS_OF } from '../../core/basics/errors.ts'
import type { Log } from '../../core/basics/log.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { urlOf } from '../../core/basics/url.ts'
import {
  ANONYMOUS_PRINCIPAL,
  checkOrigin,
  createClientAddressOf,
  type Identified,
  identify,
  type Principal,
} from '../../core/http/client-identity.ts'
import { errorHeaders, publicError } from '../../core/http/errors.ts'
import { DRAIN_MILLISECONDS, openPort } from '../../core/http/open-port.ts'
import { declaredLength } from '../../core/http/parse-request.ts'
import {
  type ChargedExchange,
  charge,
  countForLimit,
  type Limiter,
  unitsOfBody,
} from '../../core/http/rate-limit.ts'
import type { Store } from '../../core/store/store.ts'
import type { ToolContext } from './define-tool.ts'

/** The arguments of a tool that reads are far smaller. */
const MAX_BODY_BYTES = 64 * 1024

type Options = {
  host: string
  port: number
  publicUrl?: string | undefined
  log: Log
  findKey: Store['keys']['find']
  limiter: Limiter
  trustedProxies: readonly string[]
  now: () => number
  /** Called for each request, because there are no sessions. */
  createServer: (principal: Principal, charge: ToolContext['charge']) => Server
}

/** MCP over streamable HTTP, at `/mcp`. Throws a `CommandError` if the port is not available. */
export async function serveMcp(options: Options) {
  const { host, port, publicUrl, log, limiter, now, createServer } = options
  const addressOf = createClientAddressOf(options.trustedProxies)
  const names = new Set(['localhost', host.toLowerCase(), publicUrl && new URL(publicUrl).hostname])

  async function handle(request: Request, listener: Bun.Server<undefined>): Promise<Response> {
    const rejection = reject(request, names)
    if (rejection) return rejection
    const exchange: Identified & ChargedExchange = {
      request,
      time: now(),
      address: () => addressOf(listener.requestIP(request)?.address ?? '', request.headers),
      principal: ANONYMOUS_PRINCIPAL,
      ...{ key: undefined, tier: undefined, consumed: undefined, units: 1 },
    }
    try {
      await identify(options, exchange, { usesKeys: true })
      countForLimit(limiter, exchange, { usesKeys: true })
      checkOrigin(exchange.principal, request)
      const units = 1 + unitsOfBody(declaredLength(request))
      charge(limiter, exchange, units)
      return await respond(request, exchange)
    } catch (error) {
      if (error instanceof ServiceError) return toResponse(error)
      throw error
    }
  }

  async function respond(request: Request, exchange: Identified & ChargedExchange): Promise<Response> {
    // The request itself pays for one unit of its first call.
    let paid = 1
    const server = createServer(exchange.principal, (units) => {
      const call = { ...exchange, units: paid, consumed: paid === 1 ? exchange.consumed : undefined }
      paid = 0
      charge(limiter, call, units)
    })
    // The SDK sends no response to a cancelled call, so the HTTP request would never end.
    server.removeNotificationHandler('notifications/cancelled')
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    try {
      await server.connect(transport)
      return await transport.handleRequest(request)
    } finally {
      await server.close()
    }
  }

  const server = await openPort({ host, port, names: { host: 'HOST', port: '--port' } }, () =>
    Bun.serve({
      hostname: host,
      port,
      development: false,
      reusePort: false,
      maxRequestBodySize: MAX_BODY_BYTES,
      fetch: handle,
      error(error) {
        log.error(error.stack ?? error.message)
        return errorResponse(500, 'Something went wrong on our side.')
      },
    }),
  )
  return {
    url: new URL('/mcp', urlOf(host, server.port ?? port)),
    /** Requests in progress complete; idle connections are closed. */
    async stop(): Promise<void> {
      void server.stop()
      const end = performance.now() + DRAIN_MILLISECONDS
      while (server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(5)
      await server.stop(true)
    },
  }
}

function toResponse(error: ServiceError): Response {
  const { code, message } = publicError(error)
  const words =
    code === 'unauthorized' ? 'The header X-API-KEY must have a valid key, or be absent.' : message
  return errorResponse(STATUS_OF[code], words, errorHeaders(error, code, 'application/json'))
}

/**
 * Rejects DNS rebinding: a hostile page can resolve its own host name to this machine, but the `Host` header keeps that
 * name. A host that is an IP address is safe.
 */
function reject(request: Request, names: ReadonlySet<string | undefined>): Response | undefined {
  const host = request.headers.get('host') ?? ''
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (isIP(name) === 0 && !names.has(name)) {
    return errorResponse(
      403,
      `Unknown host ${quote(name)}. Use an IP address or localhost, or set PUBLIC_URL.`,
    )
  }
  const origin = request.headers.get('origin')
  if (origin !== null && URL.parse(origin)?.host !== URL.parse(`http://${host}`)?.host) {
    return errorResponse(403, `Requests from pages of ${quote(origin)} are not allowed.`)
  }
  if (URL.parse(request.url)?.pathname !== '/mcp') return errorResponse(404, 'Not found. MCP is at /mcp.')
  // The server sends no notifications, so it offers no GET stream.
  if (request.method !== 'POST')
    return errorResponse(405, `${request.method} is not allowed. Use POST.`, { Allow: 'POST' })
  return undefined
}

const errorResponse = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status, headers })
