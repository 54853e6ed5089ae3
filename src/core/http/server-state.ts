import type { RateLimitResult } from '../basics/fixed-window.ts'
import { createDigestFinder } from '../scoring/rules-digests.ts'
import { RULE_SETS } from '../store/sql/rules.ts'
import { type BudgetLimits, createByteBudget, type Limited } from './byte-budget.ts'
import { ANONYMOUS_PRINCIPAL, createClientAddressOf, type Principal } from './client-identity.ts'
import { createEventStreams, type StreamLimits } from './event-streams.ts'
import { publicOriginOf, requestIdOf, summaryOf } from './parse-request.ts'
import { charge } from './rate-limit.ts'
import { createPageCache } from './rendered-page.ts'
import type { RequestCounter } from './request-counter.ts'
import { createInitialHeaders, type ErrorHandling, type HeaderOptions } from './response.ts'
import {
  type Context,
  createGuardFinder,
  type Guard,
  type RequestSummary,
  type Route,
  type RouteRequest,
  type ServerContext,
} from './route.ts'
import { guessablePaths } from './unknown-path.ts'

export type ApiServerOptions = ErrorHandling &
  HeaderOptions &
  Pick<ServerContext, 'store' | 'index' | 'explain' | 'explainAll' | 'now' | 'requireKey' | 'limiter'> &
  Partial<Pick<ServerContext, 'signing' | 'contact' | 'webhookAllowPrivate'>> & {
    host: string
    port: number
    reusePort?: boolean | undefined
    /** The contents of PEM files. With them, the server uses HTTPS and HTTP/2. */
    tls?: { cert: string; key: string } | undefined
    publicUrl?: string | undefined
    /** How to get a key, for errors of v3. */
    keyHelp?: string | undefined
    /** Whether the service has pages and cards. */
    explorer?: boolean
    limits?: Partial<StreamLimits & BudgetLimits> | undefined
    routes: readonly Route[]
    guards?: readonly Guard[]
    /** Addresses and CIDR blocks of proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: readonly string[]
    counter: RequestCounter
    onResponse?: ((summary: RequestSummary) => void) | undefined
  }

export type ServerState = ReturnType<typeof createServerState>

/** The options, and what all requests share. */
export function createServerState(options: ApiServerOptions) {
  const { store, index, explain, explainAll, now, requireKey, signing, limiter } = options
  const { publicUrl = '', contact, explorer = false, webhookAllowPrivate = false } = options
  const shared: ServerContext = {
    ...{ store, index, explain, explainAll, now, requireKey, webhookAllowPrivate, limiter },
    ...{ signing, publicUrl, contact, findDigests: createDigestFinder(store.data(RULE_SETS)) },
    streams: createEventStreams({ ...options, source: `${publicUrl}/api/v3` }),
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
