import { ClientGone, ServiceError } from '../domain/errors.ts'
import type { Awaitable } from '../store/store.ts'
import { presentError, publicError } from './errors.ts'
import { prefersJson, type RenderedPage, sendPage } from './rendered-page.ts'
import type { Context, Exchange, RequestSummary } from './request.ts'
import { presentProblem } from './v3/problem.ts'

export type ErrorHandling = {
  errorPage?: ((status: number, message: string, requestId: string) => RenderedPage) | undefined
  onError: (error: unknown, request: Pick<RequestSummary, 'id' | 'method' | 'route'>) => void
}

/** The response to a request that failed: HTML for pages, problem+json for v3, otherwise the error of V1. */
export function respondToError(
  { errorPage }: ErrorHandling,
  { request, route, id }: Exchange,
  context: Context,
  error: unknown,
): Awaitable<Response> {
  // The client has disconnected; proxies log status 499 in this case.
  if (error instanceof ClientGone) return new Response(null, { status: 499, headers: context.headers })
  const present = route.kind === 'v3' ? presentProblem : presentError
  const { status, headers, body } = present(error, id)
  if (status >= 500 && !isNotReady(error)) context.onError(error)
  if (route.kind === 'page' && errorPage && !prefersJson(request)) {
    const page = errorPage(status, publicError(error).message, id)
    return sendPage(request, context, { ...page, headers: { ...headers, ...page.headers } })
  }
  const response = new Response(body, { status, headers: context.headers })
  for (const name in headers) response.headers.set(name, headers[name] as string)
  return response
}

/** The search thread logs the progress. */
const isNotReady = (error: unknown) => error instanceof ServiceError && error.code === 'not_ready'
