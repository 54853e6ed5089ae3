import { isIP } from 'node:net'
import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { DRAIN_MILLISECONDS, openPort, urlOf } from '../api/open-port.ts'
import type { Log } from '../log.ts'

/** Far more than the arguments of a tool need. */
const LARGEST_BODY = 64 * 1024

type Options = {
  host: string
  port: number
  publicUrl?: string | undefined
  log: Log
  /** Each request has a server of its own: nothing is remembered between them. */
  createServer: () => Server
}

/** MCP over streamable HTTP, at `/mcp`. A port that cannot be had is a `CommandError`. */
export function serveMcp({ host, port, publicUrl, log, createServer }: Options) {
  const names = new Set(['localhost', host.toLowerCase(), publicUrl && new URL(publicUrl).hostname])

  async function answer(request: Request): Promise<Response> {
    const refusal = refuse(request, names)
    if (refusal) return refusal
    const server = createServer()
    // A call that is taken back is not answered, and an answer would be waited for without end.
    server.removeNotificationHandler('notifications/cancelled')
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    try {
      await server.connect(transport)
      return await transport.handleRequest(request)
    } finally {
      await server.close()
    }
  }

  const server = openPort({ host, port, names: { host: 'HOST', port: '--port' } }, () =>
    Bun.serve({
      hostname: host,
      port,
      development: false,
      reusePort: false,
      maxRequestBodySize: LARGEST_BODY,
      fetch: answer,
      error(error) {
        log.error(error.stack ?? error.message)
        return refusalOf(500, 'Something went wrong on our side.')
      },
    }),
  )
  return {
    url: new URL('/mcp', urlOf(host, server.port ?? port)),
    /** Requests under way are answered; connections that only wait are closed. */
    async stop(): Promise<void> {
      void server.stop()
      const end = performance.now() + DRAIN_MILLISECONDS
      while (server.pendingRequests > 0 && performance.now() < end) await Bun.sleep(5)
      await server.stop(true)
    },
  }
}

/**
 * A page of a stranger can have its own name lead to this machine, and then ask as if it were its own server: but the name it
 * asks by stays the stranger's. An address is no name, and leads nowhere else.
 */
function refuse(request: Request, names: ReadonlySet<string | undefined>): Response | undefined {
  const host = request.headers.get('host') ?? ''
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (isIP(name) === 0 && !names.has(name)) {
    return refusalOf(403, 'This host is not known here: ask by address, or set PUBLIC_URL.')
  }
  const origin = request.headers.get('origin')
  if (origin !== null && URL.parse(origin)?.host !== URL.parse(`http://${host}`)?.host) {
    return refusalOf(403, 'Pages of other origins may not ask here.')
  }
  if (URL.parse(request.url)?.pathname !== '/mcp') return refusalOf(404, 'MCP is at /mcp.')
  // There is nothing to tell unasked: no stream is held open.
  if (request.method !== 'POST') return refusalOf(405, 'Only POST is answered here.', { Allow: 'POST' })
  return undefined
}

const refusalOf = (status: number, message: string, headers: Record<string, string> = {}) =>
  Response.json({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }, { status, headers })
