import { type Awaitable, andThen } from '../basics/awaitable.ts'
import { notFound, ServiceError, unauthorized } from '../basics/errors.ts'
import type { ApiKey } from '../store/api-key.ts'
import { takeTurn } from './byte-budget.ts'
import {
  checkOrigin,
  checkScope,
  isActive,
  isInBrowser,
  matchesKey,
  parseSentKey,
  type SentKey,
} from './client-identity.ts'
import {
  bodyTooLarge,
  declaredLength,
  MAX_BODY_BYTES,
  pathOf,
  type RequestSummary,
  summaryOf,
} from './parse-request.ts'
import { checkLimit, unitsOfBody } from './rate-limit.ts'
import { type RequestCounter, tierNameOf } from './request-counter.ts'
import {
  addHeaders,
  allowedMethods,
  checkIfMatch,
  type createGuardFinder,
  type createInitialHeaders,
  type ErrorHandling,
  methodsOf,
  preflight,
  respondToError,
} from './response.ts'
import type { Context } from './route.ts'
import { describeUnknownPath } from './unknown-path.ts'

/** What the steps need beside the context of the request. */
export type ServerState = ErrorHandling & {
  guardsOf: ReturnType<typeof createGuardFinder>
  headersOf: ReturnType<typeof createInitialHeaders>
  /** How to get a key, for errors of v3. */
  keyHelp?: string | undefined
  guessable: readonly string[]
  counter: RequestCounter
  onResponse?: ((summary: RequestSummary) => void) | undefined
  isDraining: boolean
}

/** A step may throw, or end the request by returning its response, or return a promise of one or of nothing. */
type Step = (context: Context, state: ServerState) => unknown

const STEPS: readonly Step[] = [
  checkHost,
  refuseLargeBody,
  ({ request, route, headers }) => request.method === 'OPTIONS' && preflight(headers, route),
  (context, { guardsOf }) => {
    for (const guard of guardsOf(context.route.surface)) guard.checkFirst?.(context)
  },
  checkRoute,
  identifyClient,
  applyLimit,
  ({ principal, request }) => checkOrigin(principal, request),
  noteBrowser,
  checkMethod,
  ({ principal, route }) => checkScope(principal, route.scope),
  // Units are charged before the request waits for its turn and before its body is received.
  chargeUnits,
  (context, { guardsOf }) => {
    for (const guard of guardsOf(context.route.surface)) guard.check?.(context)
  },
  (context) => !context.route.isImmediate && takeTurn(context, context.route.bytes),
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

/** A host name or an IP address, with an optional port. Commas would join the values of repeated headers. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i

/** Accepts an empty `Host`, and a missing one, which HTTP/1.0 allows. */
function checkHost({ request: { headers } }: Context): void {
  if (HOST.test(headers.get('host') ?? '')) return
  throw new ServiceError(
    'invalid_request',
    'Host must be one host name or IP address, with an optional port.',
  )
}

function refuseLargeBody({ request, route }: Context): Response | undefined {
  if (declaredLength(request) <= MAX_BODY_BYTES) return undefined
  if (route.surface.errors.includes('content_too_large')) throw bodyTooLarge()
  return new Response(null, { status: 413, headers: { Connection: 'close' } })
}

function checkRoute({ route, request }: Context, { guessable }: ServerState): void {
  if (!route.handle) throw notFound(route.missing ?? describeUnknownPath(pathOf(request), guessable))
}

/** Finds the key of a request. Throws `unauthorized`, or `rate_limited` after too many wrong keys. */
function identifyClient(context: Context, { keyHelp }: ServerState): Awaitable<void> {
  const { route, request, requireKey, store } = context
  if (!route.surface.usesKeys) return undefined
  const sentKey = parseSentKey(request.headers.get('x-api-key'))
  if (!sentKey && ((requireKey && !route.access) || route.needsKey)) throw unauthorized(keyHelp)
  if (!sentKey) return undefined
  const storedKey = sentKey.id === undefined ? undefined : store.keys.find(sentKey.id)
  if (!(storedKey instanceof Promise)) return useKey(context, sentKey, storedKey, keyHelp)
  return storedKey.then((key) => useKey(context, sentKey, key, keyHelp))
}

function useKey(context: Context, sentKey: SentKey, key: ApiKey | undefined, keyHelp?: string): void {
  const isRight = matchesKey(sentKey, key)
  if (!isRight) context.limiter.consumeFixed('wrong keys', context.address())
  if (!isRight || !isActive(key, context.time)) throw unauthorized(keyHelp)
  context.key = key
  context.principal = key
}

function applyLimit(context: Context, { headersOf }: ServerState): void {
  const { limiter, route } = context
  context.tier = limiter.tierOf(route.surface, context.key)
  if (!context.tier) return
  context.consumed = checkLimit(context.tier, limiter.consume(context.tier, context))
  if (context.consumed) context.headers = headersOf(route.surface, context.tier)
}

function noteBrowser({ key, request, publicUrl }: Context, { counter }: ServerState): void {
  if (key && isInBrowser(key, request, publicUrl)) counter.noteInBrowser(key.id)
}

function checkMethod({ request: { method }, route }: Context): void {
  if (methodsOf(route).includes(method)) return
  const methods = route.pathMethods ?? route.methods
  const readOnly = route.surface.retires ? 'this API is read-only, use GET' : 'use GET'
  const advice = methods ? `use ${methods.join(' or ')}` : readOnly
  throw new ServiceError('method_not_allowed', `${method} is not possible here: ${advice}.`, {
    headers: { Allow: allowedMethods(route) },
  })
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
