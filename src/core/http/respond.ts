import { type Awaitable, andThen } from '../basics/awaitable.ts'
import { notFound } from '../basics/errors.ts'
import { applyLimit, identify } from './admit.ts'
import { checkOrigin, checkScope, isInBrowser } from './client-identity.ts'
import {
  bodyTooLarge,
  checkHost,
  checkMethod,
  declaredLength,
  isBodyTooLarge,
  pathOf,
  summaryOf,
} from './parse-request.ts'
import { unitsOfBody } from './rate-limit.ts'
import { tierNameOf } from './request-counter.ts'
import { addHeaders, checkIfMatch, preflight, respondToError } from './response.ts'
import type { Context } from './route.ts'
import type { ServerState } from './server-state.ts'
import { describeUnknownPath } from './unknown-path.ts'

/** A step may throw, or end the request by returning its response, or return a promise of one or of nothing. */
type Step = (context: Context, state: ServerState) => unknown

/** The steps of every request, in this order. */
const STEPS: readonly Step[] = [
  ({ request }) => checkHost(request),
  refuseLargeBody,
  ({ request, route, headers }) => request.method === 'OPTIONS' && preflight(headers, route),
  (context, { guardsOf }) => {
    for (const guard of guardsOf(context.route.surface)) guard.checkFirst?.(context)
  },
  checkRoute,
  identify,
  applyLimit,
  ({ principal, request }) => checkOrigin(principal, request),
  noteBrowser,
  ({ request, route }) => checkMethod(request.method, route),
  ({ principal, route }) => checkScope(principal, route.scope),
  // Units are charged before the request waits for its turn and before its body is received.
  chargeUnits,
  (context, { guardsOf }) => {
    for (const guard of guardsOf(context.route.surface)) guard.check?.(context)
  },
  (context) => !context.route.isImmediate && context.budget.take(context, context.route.surface.bytes),
  (context) => context.route.handle?.(context.request, context),
]

/** Runs the steps from `first` on. Awaits only steps that return a promise, because each `await` is slow. */
export function respond(context: Context, state: ServerState, first = 0): Awaitable<Response> {
  try {
    for (let at = first; at < STEPS.length; at++) {
      const result = STEPS[at]?.(context, state)
      if (result instanceof Promise) return resume(context, state, at, result)
      if (result instanceof Response) return complete(context, state, result)
    }
    throw new Error(`The handler of ${context.route.path} returned no response.`)
  } catch (error) {
    return fail(context, state, error)
  }
}

async function resume(context: Context, state: ServerState, at: number, step: Promise<unknown>) {
  try {
    const result = await step
    if (result instanceof Response) return complete(context, state, result)
  } catch (error) {
    return fail(context, state, error)
  }
  return respond(context, state, at + 1)
}

function fail(context: Context, state: ServerState, error: unknown): Awaitable<Response> {
  return andThen(respondToError(state, context, error), (response) => finish(context, state, response))
}

function refuseLargeBody({ request, route }: Context): Response | undefined {
  if (!isBodyTooLarge(request)) return undefined
  if (route.surface.errors.includes('content_too_large')) throw bodyTooLarge()
  return new Response(null, { status: 413, headers: { Connection: 'close' } })
}

function checkRoute({ route, request }: Context, { guessable }: ServerState): void {
  if (!route.handle) throw notFound(route.missing ?? describeUnknownPath(pathOf(request), guessable))
}

function noteBrowser({ key, request, publicUrl }: Context, { counter }: ServerState): void {
  if (key && isInBrowser(key, request, publicUrl)) counter.noteInBrowser(key.id)
}

function chargeUnits(context: Context): void {
  const { route, request } = context
  const units = route.units + (route.body ? unitsOfBody(declaredLength(request)) : 0)
  if (units > 1) context.charge(units)
}

/** Checks the conditions of the request. A failed one is an error. */
function complete(context: Context, state: ServerState, response: Response): Response {
  checkIfMatch(context.request, response)
  return finish(context, state, response)
}

/** Adds the headers, and counts the response. */
function finish(context: Context, state: ServerState, response: Response): Response {
  const completed = addHeaders(context, response)
  // HTTP/2 has no such header: the runtime removes it, and sends GOAWAY when the server stops.
  if (state.isDraining) completed.headers.set('Connection', 'close')
  const { status } = completed
  const seconds = (performance.now() - context.startedAt) / 1000
  state.counter.count(context, status, seconds)
  state.onResponse?.({
    ...summaryOf(context),
    ...{ status, seconds, keyId: context.principal.id, tier: tierNameOf(context) },
    address: () => context.address(),
  })
  return completed
}
