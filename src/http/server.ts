import http from 'node:http'
import { notFound, ServiceError } from '../domain/errors.ts'
import type { Store } from '../store/store.ts'
import type { Answer } from './answer.ts'
import { authenticate } from './auth.ts'
import { CORS_HEADERS, preflight } from './cors.ts'
import { presentError } from './errors.ts'
import { etagOf, isFresh } from './etag.ts'
import { getHealth, getReadiness } from './health.ts'
import { requestIdOf } from './request-id.ts'
import { deprecationHeaders } from './retirement.ts'
import { createV1Routes, type Handler, isV1Path } from './v1/routes.ts'

export type ServerOptions = {
  host: string
  port: number
  /** Lets other processes listen on the port too, if they also share it: Linux gives each a part of the connections. */
  sharePort?: boolean
  store: Store
  now: () => number
  requireKey: boolean
  deprecatedAt: number
  /** Whole answers by path: the reference page and its parts. */
  pages: Readonly<Record<string, Answer>>
  onError: (error: unknown, request: { id: string; method: string; path: string }) => void
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

function createHandler({ store, now, requireKey, deprecatedAt, pages, onError }: ServerOptions) {
  const findV1 = createV1Routes(store)
  const own: Record<string, Handler> = { '/health': getHealth, '/ready': getReadiness(store) }
  for (const [path, page] of Object.entries(pages)) own[path] = () => page

  const commonHeaders = { ...CORS_HEADERS, 'X-Content-Type-Options': 'nosniff' }
  const v1Headers = { ...commonHeaders, ...deprecationHeaders(deprecatedAt) }

  async function answer(request: Request, path: string, query: string): Promise<Answer> {
    checkSize(request, path, query)
    const isV1 = isV1Path(path)
    const handler = isV1 ? findV1(path) : Object.hasOwn(own, path) ? own[path] : undefined
    if (!handler) throw notFound()
    if (request.method === 'OPTIONS') return preflight()
    if (request.method !== 'GET' && request.method !== 'HEAD') throw methodNotAllowed(request.method)
    if (isV1) await authenticate(request, { store, now, requireKey })
    return handler(new URLSearchParams(query))
  }

  return async (request: Request): Promise<Response> => {
    const id = requestIdOf(request)
    const { path, query } = splitUrl(request.url)
    const headers = isV1Path(path) ? v1Headers : commonHeaders
    let result: Answer
    try {
      result = await answer(request, path, query)
    } catch (error) {
      result = presentError(error, id)
      if (result.status >= 500) onError(error, { id, method: request.method, path })
    }
    return toResponse(request, result, { ...headers, 'X-Request-Id': id })
  }
}

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

function methodNotAllowed(method: string): ServiceError {
  return new ServiceError(
    'method_not_allowed',
    `${method} is not possible here: this API is read-only, use GET.`,
  )
}
