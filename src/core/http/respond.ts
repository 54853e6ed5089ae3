import { type Awaitable, andThen } from '../basics/awaitable.ts'
import { notFound, unauthorized } from '../basics/errors.ts'
import type { RateLimitResult } from '../basics/fixed-window.ts'
import { createDigestFinder } from '../scoring/rules-digests.ts'
import type { ApiKey } from '../store/api-key.ts'
import { RULE_SETS } from '../store/sql/rules.ts'
import { type BudgetLimits, createByteBudget, type Limited, takeTurn } from './byte-budget.ts'
import {
  ANONYMOUS_PRINCIPAL,
  checkOrigin,
  checkScope,
  createClientAddressOf,
  isActive,
  isInBrowser,
  matchesKey,
  type Principal,
  parseKey,
  type SentKey,
} from './client-identity.ts'
import {
  checkHost,
  checkMethod,
  declaredLength,
  pathOf,
  publicOriginOf,
  type RequestSummary,
  refuseLargeBody,
  requestIdOf,
  summaryOf,
} from './parse-request.ts'
import { charge, checkLimit, unitsOfBody } from './rate-limit.ts'
import { createPageCache } from './rendered-page.ts'
import { type RequestCounter, tierNameOf } from './request-counter.ts'
import {
  addHeaders,
  checkIfMatch,
  createGuardFinder,
  createInitialHeaders,
  type ErrorHandling,
  type HeaderOptions,
  preflight,
  respondToError,
} from './response.ts'
import type { Context, Guard, OpenStreams, Route, RouteRequest, ServerContext } from './route.ts'
import { describeUnknownPath, guessablePaths } from './unknown-path.ts'

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

function checkRoute({ route, request }: Context, { guessable }: ServerState): void {
  if (!route.handle) throw notFound(route.missing ?? describeUnknownPath(pathOf(request), guessable))
}

/** Finds the key of a request. Throws `unauthorized`, or `rate_limited` after too many wrong keys. */
function identify(context: Context, { keyHelp }: ServerState): Awaitable<void> {
  const { route, request, requireKey, store } = context
  if (!route.surface.usesKeys) return undefined
  const sent = parseKey(request.headers.get('x-api-key'))
  if (!sent && ((requireKey && !route.access) || route.needsKey)) throw unauthorized(keyHelp)
  if (!sent) return undefined
  const found = sent.id === undefined ? undefined : store.keys.find(sent.id)
  if (!(found instanceof Promise)) return useKey(context, sent, found, keyHelp)
  return found.then((key) => useKey(context, sent, key, keyHelp))
}

function useKey(context: Context, sent: SentKey, key: ApiKey | undefined, keyHelp?: string): void {
  const isRight = matchesKey(sent, key)
  if (!isRight) context.limiter.consumeFixed('wrong keys', context.address())
  if (!isRight || !isActive(key, context.time)) throw unauthorized(keyHelp)
  context.key = key
  context.principal = key
}

/** Counts the request for its client. Throws `rate_limited`. */
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

export type ServerOptions = ErrorHandling &
  HeaderOptions &
  Pick<ServerContext, 'store' | 'index' | 'explain' | 'explainAll' | 'now' | 'requireKey' | 'limiter'> &
  Partial<Pick<ServerContext, 'signing' | 'contact' | 'webhookAllowPrivate'>> & {
    publicUrl?: string | undefined
    /** How to get a key, for errors of v3. */
    keyHelp?: string | undefined
    /** Whether the service has pages and cards. */
    explorer?: boolean
    limits?: Partial<BudgetLimits & Pick<OpenStreams, 'commentMilliseconds'>> | undefined
    routes: readonly Route[]
    guards?: readonly Guard[]
    /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: readonly string[]
    counter: RequestCounter
    onResponse?: ((summary: RequestSummary) => void) | undefined
  }

export type ServerState = ReturnType<typeof createServerState>

/** The options, and what all requests share. */
export function createServerState(options: ServerOptions) {
  const { store, index, explain, explainAll, now, requireKey, signing, limiter } = options
  const { publicUrl = '', contact, explorer = false, webhookAllowPrivate = false } = options
  const shared: ServerContext = {
    ...{ store, index, explain, explainAll, now, requireKey, webhookAllowPrivate, limiter },
    ...{ signing, publicUrl, contact, findDigests: createDigestFinder(store.data(RULE_SETS)) },
    streams: { open: new Set(), isEnding: false, commentMilliseconds: 15_000, ...options.limits },
    pages: createPageCache(),
    budget: createByteBudget(options.limits),
    cardsOf: (request: Request) => (explorer ? `${publicOriginOf(request, publicUrl)}/card/` : ''),
  }
  const guardsOf = createGuardFinder(options.guards ?? [])
  const headersOf = createInitialHeaders(guardsOf, options)
  const addressOf = createClientAddressOf(options.trustedProxies)

  class RequestContext {
    readonly request: RouteRequest
    readonly route: Route
    readonly server: Limited['server']
    readonly id: string
    readonly time = now()
    readonly startedAt = performance.now()
    headers: Headers
    principal: Principal = ANONYMOUS_PRINCIPAL
    key: Context['key'] = undefined
    tier: Context['tier'] = undefined
    consumed: RateLimitResult | undefined = undefined
    units = 1
    isFree = false

    constructor(request: RouteRequest, route: Route, server: Limited['server']) {
      this.request = request
      this.route = route
      this.server = server
      this.id = requestIdOf(request)
      this.headers = headersOf(route.surface, undefined)
    }
    address() {
      const { request, server } = this
      return addressOf(server.requestIP(request)?.address ?? '', request.headers)
    }
    charge(units: number, advice?: string) {
      charge(limiter, this, units, advice)
    }
    onError(error: unknown) {
      options.onError(error, summaryOf(this))
    }
  }
  // What all requests share is on the prototype: copying it for each request is slow.
  Object.assign(RequestContext.prototype, shared)

  return {
    ...options,
    shared,
    guardsOf,
    createContext: (request: RouteRequest, route: Route, server: Limited['server']) =>
      new RequestContext(request, route, server) as unknown as Context,
    headersOf,
    guessable: guessablePaths(options.routes),
    isDraining: false,
    lastRequestAt: 0,
  }
}
