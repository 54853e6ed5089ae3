import { isIP } from 'node:net'
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Log } from '../../core/basics/log.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { urlOf } from '../../core/basics/url.ts'
import {
  ANONYMOUS_PRINCIPAL,
  isActive,
  matchesKey,
  type Principal,
  parseKey,
} from '../../core/http/client-identity.ts'
import { DRAIN_MILLISECONDS, openPort } from '../../core/http/open-port.ts'
import type { ApiKey } from '../../core/store/api-key.ts'

/** The arguments of a tool that reads are far smaller. */
const MAX_BODY_BYTES = 64 * 1024

type Options = {
  host: string
  port: number
  publicUrl?: string | undefined
  log: Log
  findKey: (id: string) => Promise<ApiKey | undefined>
  now: () => number
  /** Called for each request, because there are no sessions. */
  createServer: (principal: Principal) => Server
}

/** MCP over streamable HTTP, at `/mcp`. Throws a `CommandError` if the port is not available. */
export async function serveMcp({ host, port, publicUrl, log, findKey, now, createServer }: Options) {
  const names = new Set(['localhost', host.toLowerCase(), publicUrl && new URL(publicUrl).hostname])

  async function handle(request: Request): Promise<Response> {
    const rejection = reject(request, names)
    if (rejection) return rejection
    const sent = parseKey(request.headers.get('x-api-key'))
    const key = sent?.id === undefined ? undefined : await findKey(sent.id)
    if (sent && !(matchesKey(sent, key) && isActive(key, now())))
      return errorResponse(401, 'The header X-API-KEY must have a valid key, or be absent.')
    const server = createServer(key ?? ANONYMOUS_PRINCIPAL)
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
