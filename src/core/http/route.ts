import type { TSchema } from 'typebox'
import type { Awaitable } from '../basics/awaitable.ts'
import { EXPLORER } from '../config/rate-limit-tier.ts'
import type { SigningKeys } from '../config/signing-keys.ts'
import type { IndexClient } from '../index/calls.ts'
import type { PassportRef } from '../passport/passport.ts'
import type { ExplainedPassport, Explanation } from '../passport/rules/explanation.ts'
import type { FindDigests } from '../scoring/rules-digests.ts'
import type { Store } from '../store/store.ts'
import type { ByteBudget, Limited } from './byte-budget.ts'
import type { Principal, RouteScope } from './client-identity.ts'
import { ErrorBody, type ErrorResponse, presentError } from './errors.ts'
import { COMMON_ERRORS, COMMON_HEADERS, type DocumentedError, type HeaderName } from './openapi-parts.ts'
import type { ChargedExchange, Limiter } from './rate-limit.ts'
import { type PageCache, type RenderedPage, sendPage } from './rendered-page.ts'

/** What some routes have in common: how clients are identified, the limit, and what an error looks like. */
export type Surface = {
  /** Clients can send a key. Limits count requests per key, or per address without one; usage is per key. */
  usesKeys?: true
  /** The tier of all clients. Their requests are counted by address. */
  tier?: string
  presentError: (error: unknown, requestId: string) => ErrorResponse
  /** If the explorer is on, browsers get errors as pages. */
  errorsAs?: 'page'
  /** Errors are pictures in the format of the path, because a page would otherwise show a broken image. */
  renderError?: (path: string, status: number) => RenderedPage
  /** The name of a version that the retirement plan applies to. */
  retires?: string
  /** Parses the query; throws `invalid_request` for unknown names. Without it, handlers read the query themselves. */
  parseQuery?: (request: RouteRequest, names: readonly string[]) => Query
  /** Bytes that requests take before their handler, unless the route says otherwise; none if responses are small. */
  bytes?: number
  /** Paths also match with a trailing slash. */
  ignoresSlash?: true
  /** This field and the fields below are for the OpenAPI document and the reference. */
  tag: { name: string; description: string }
  headers: readonly HeaderName[]
  errors: readonly DocumentedError[]
  errorSchema: TSchema
  schemas: Readonly<Record<string, TSchema>>
}

/** A condition on the requests of some surfaces. The checks may throw. */
export type Guard = {
  isFor: (surface: Surface) => boolean
  /** Headers of all responses of these surfaces: the same object until they change. */
  headers?: () => Readonly<Record<string, string>>
  /** Called before the key is known. */
  checkFirst?: (context: Context) => void
  /** Called when the client and its limit are known. */
  check?: (context: Context) => void
}

/** Health, files and the reference need no key and have no limit. */
export const SERVICE: Surface = {
  presentError,
  tag: { name: 'Service', description: 'For operators and tools' },
  headers: COMMON_HEADERS,
  errors: COMMON_ERRORS,
  errorSchema: ErrorBody,
  schemas: { ErrorBody },
}

/** Pages and their pictures. */
export const PAGE: Surface = {
  ...SERVICE,
  tier: EXPLORER,
  errorsAs: 'page',
  ignoresSlash: true,
  bytes: 512 * 1024,
}

/** A parameter of a path, a query or the headers; a string by default. */
export type Parameter = {
  description: string
  schema?: object
  required?: true
  example?: string | number | readonly string[]
  /** `false` for a comma-separated list. */
  explode?: false
  style?: 'form'
}

export type Parameters<Name extends string = string> = Readonly<Record<Name, Parameter>>

export type Query<Name extends string = string> = Partial<Record<Name, string>>

/** `params` are the decoded parameters of the route's path. */
export type RouteRequest<Name extends string = string> = Request & { params: Readonly<Record<Name, string>> }

type Documentation = {
  id: string
  summary: string
  description?: string
  requestHeaders?: Parameters
  body?: TSchema
  response: TSchema
  status?: number
  alternatives?: Readonly<Record<string, { schema: object; example: string }>>
  /** Headers in addition to those of the surface. */
  responseHeaders?: readonly HeaderName[]
  errors?: readonly DocumentedError[]
  /** What an error means here, if the words for all routes do not fit. */
  errorWords?: Partial<Record<DocumentedError, string>>
}

/** A route without a handler responds with 404, which does not count for the rate limit. `missing` is its message. */
type Declaration<Param extends string = string, Name extends string = string> = {
  /** The name in metrics, usage counts and logs. */
  name: string
  /** A path pattern of `Bun.serve`. */
  path: string
  /** GET and HEAD by default. */
  methods?: readonly string[]
  /** Principals need this scope; `read` by default. */
  scope?: RouteScope
  /** A key is required, even without REQUIRE_API_KEY. */
  needsKey?: true
  /** No key is required, even with REQUIRE_API_KEY: anyone may call the route, or only a person with a session. */
  access?: 'anyone' | 'session'
  /** A request counts as this many requests; 1 by default. Handlers can charge more. */
  units?: number
  /** The request takes at most one indexed read, so it does not wait for a turn, unless its handler does. */
  isImmediate?: true
  /** Instead of the bytes of the surface. */
  bytes?: number
  /** This route serves these requests, although another one has the same path and method. */
  isFor?: (request: Request) => boolean
  /** Whether the request takes only one indexed read, so that a 304 does not count for the rate limit. */
  isCheap?: (request: Request) => boolean
  params?: Parameters<Param>
  query?: Parameters<Name>
  handle?: (request: RouteRequest<Param>, context: Context, query: Query<Name>) => Awaitable<Response>
  missing?: string
} & Partial<Documentation>

export type Examples = { request?: unknown; response?: unknown }

export type Route = Omit<Declaration, 'handle' | 'scope' | 'units' | 'bytes'> & {
  surface: Surface
  scope: RouteScope
  units: number
  bytes: number | undefined
  examples?: Examples
  /** The methods of all routes with this path, if there are several. */
  pathMethods?: readonly string[]
  handle: ((request: RouteRequest, context: Context) => Awaitable<Response>) | undefined
}

/** Declares a route. Routing, validation, limits, metrics, usage and the OpenAPI document follow from it. */
export function route<Param extends string = never, Name extends string = never>(
  surface: Surface,
  declaration: Declaration<Param, Name>,
): Route {
  const { handle, scope = 'read', units = 1, ...rest } = declaration as Declaration
  const { parseQuery } = surface
  const names = Object.keys(rest.query ?? {})
  return {
    bytes: surface.bytes,
    ...(rest.isImmediate && { isCheap: () => true }),
    ...rest,
    surface,
    scope,
    units,
    // Without `parseQuery`, handlers get no query.
    handle: (parseQuery && handle
      ? (request, context) => handle(request, context, parseQuery(request, names))
      : handle) as Route['handle'],
  }
}

/** A route that needs no key and has no limit. */
export const pageRoute = (
  path: string,
  page: (request: Request) => Awaitable<RenderedPage>,
  documentation: Partial<Documentation> & { query?: Parameters } = {},
): Route =>
  route(SERVICE, {
    path,
    name: 'page',
    ...documentation,
    handle: async (request, context) => sendPage(request, context, await page(request)),
  })

export type DocumentedRoute = Route & Documentation

export const isDocumented = (route: Route): route is DocumentedRoute => route.id !== undefined

/** What all requests of a server thread share. It is on the prototype of their contexts. */
export type ServerContext = {
  store: Store
  index: IndexClient
  pages: PageCache
  /** Returns explanations by passport id. Each uses the rule set and the time of the passport's last calculation. */
  explainAll: (passports: readonly { id: number }[]) => Awaitable<ReadonlyMap<number, Explanation>>
  explain: (ref: PassportRef) => Awaitable<ExplainedPassport | undefined>
  findDigests: FindDigests
  signing?: SigningKeys | undefined
  publicUrl: string
  streams: OpenStreams
  now: () => number
  requireKey: boolean
  limiter: Limiter
  budget: ByteBudget
  webhookAllowPrivate: boolean
  /** The URL of the folder with the cards, such as `https://example.com/card/`; empty if the service has no cards. */
  cardsOf: (request: Request) => string
  /** A `mailto:` or web address of the operator. */
  contact?: string | undefined
}

/** Responses that stay open. They end when the server stops. */
export type OpenStreams = {
  open: Set<Context>
  isEnding: boolean
  /** Interval of keep-alive comments: well below the idle timeout of connections. */
  commentMilliseconds: number
}

export type Context = ServerContext &
  Limited &
  ChargedExchange & {
    readonly request: RouteRequest
    readonly route: Route
    readonly id: string
    readonly time: number
    readonly startedAt: number
    principal: Principal
    /** The headers of every response to this request. They depend on the tier of the client. */
    headers: Headers
    /** Whether the response is a 304 that does not count for the rate limit. */
    isFree: boolean
    charge(units: number, advice?: string): void
    onError(error: unknown): void
  }
