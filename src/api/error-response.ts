import { ClientGone, ServiceError } from '../domain/errors.ts'
import type { Awaitable } from '../store/store.ts'
import { presentError, publicError } from './errors.ts'
import { acceptsHtml, prefersJson, type RenderedPage, sendPage } from './rendered-page.ts'
import {
  type Context,
  type Exchange,
  hasLargeUnreadBody,
  pathOf,
  type RequestSummary,
  type Route,
} from './request.ts'
import { presentProblem } from './v3/problem.ts'

type FailedRequest = Pick<RequestSummary, 'route'> & Partial<Pick<RequestSummary, 'id' | 'method'>>

export type ErrorHandling = {
  errorPage?: ((status: number, message: string, requestId: string, path: string) => RenderedPage) | undefined
  /** Shown in place of the picture at this path. */
  errorPicture?: ((path: string, status: number) => RenderedPage | undefined) | undefined
  /** Work for several requests has neither an id nor a method. */
  onError: (error: unknown, request: FailedRequest) => void
}

/**
 * The response to a request that failed: HTML for pages and for browsers on unknown paths, a picture for pictures, problem+json
 * for v3, otherwise the error of V1.
 */
export function respondToError(
  { errorPage, errorPicture }: ErrorHandling,
  { request, route, id }: Exchange,
  context: Context,
  error: unknown,
): Awaitable<Response> {
  // The client has disconnected; proxies log status 499 in this case.
  if (error instanceof ClientGone) return new Response(null, { status: 499, headers: context.headers })
  const present = route.kind === 'v3' ? presentProblem : presentError
  const { status, headers, body } = present(error, id)
  if (status >= 500 && !isNotReady(error)) context.onError(error)
  const page =
    route.kind === 'picture'
      ? errorPicture?.(pathOf(request), status)
      : wantsPage(route, request)
        ? errorPage?.(status, publicError(error).message, id, pathOf(request))
        : undefined
  if (page) return sendPage(request, context, { ...page, headers: { ...headers, ...page.headers } })
  const response = new Response(body, { status, headers: context.headers })
  for (const name in headers) response.headers.set(name, headers[name] as string)
  if (hasLargeUnreadBody(request)) response.headers.set('Connection', 'close')
  return response
}

/** The search thread logs the progress. */
const isNotReady = (error: unknown) => error instanceof ServiceError && error.code === 'not_ready'

/** On unknown paths outside of the API, only a client that names HTML is a browser. */
function wantsPage({ kind, name }: Route, request: Request): boolean {
  if (kind === 'page') return !prefersJson(request)
  return name === 'not_found' && acceptsHtml(request) && !pathOf(request).startsWith('/api/')
}
