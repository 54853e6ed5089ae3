import type { TSchema } from 'typebox'
import type { Catalog } from '../catalog/catalog.ts'
import type { Explanation } from '../domain/explanation.ts'
import { EXPLORER, PICTURES } from '../domain/tier.ts'
import type { PassportV3 } from '../domain/v3/passport.ts'
import type { Awaitable, Store } from '../store/store.ts'
import type { Backpressure, LimitedExchange } from './backpressure/backpressure.ts'
import type { Principal, Scope } from './client-identity.ts'
import { ErrorBody, type ErrorResponse, presentError } from './errors.ts'
import type { EventStreams } from './event-streams.ts'
import { COMMON_ERRORS, COMMON_HEADERS, type DocumentedError, type HeaderName } from './openapi-parts.ts'
import type { ChargedExchange } from './rate-limit.ts'
import { type PageCache, type RenderedPage, sendPage } from './rendered-page.ts'

/** What the routes of one kind have in common: how clients are identified, which limit applies, what an error looks like. */
export type Surface = {
  /** Clients may send a key. Their requests count by key, or by address without one, and as usage. */
  usesKeys?: true
  /** The limit of all clients, by address. */
  tier?: string
  presentError: (error: unknown, requestId: string) => ErrorResponse
  /** With the explorer, errors look like this instead. */
  errorsAs?: 'page' | 'picture'
  /** The name of a version that the retirement plan applies to. */
  retires?: string
  /** Parses the query; throws `invalid_request` for unknown names. Without it, handlers read the query themselves. */
  parseQuery?: (request: RouteRequest, known: readonly string[]) => Query
  /** Paths without a slash at the end match with one, too. */
  ignoresSlash?: true
  /** For the OpenAPI document and the reference. */
  tag: { name: string; description: string }
  headers: readonly HeaderName[]
  errors: readonly DocumentedError[]
  errorSchema: TSchema
  /** Schemas with a name in the document. */
  schemas: Readonly<Record<string, TSchema>>
}

const OWN = {
  presentError,
  tag: { name: 'Service', description: 'For operators and tools' },
  headers: COMMON_HEADERS,
  errors: COMMON_ERRORS,
  errorSchema: ErrorBody,
  schemas: { ErrorBody },
}

/** Health, files and the reference: without key and limit. */
export const SERVICE: Surface = OWN
export const PAGE: Surface = { ...OWN, tier: EXPLORER, errorsAs: 'page', ignoresSlash: true }
export const PICTURE: Surface = { ...OWN, tier: PICTURES, errorsAs: 'picture', ignoresSlash: true }

/** A parameter of a path, a query or the headers; a string by default. */
export type Parameter = {
  description: string
  schema?: object
  required?: true
  example?: string
  /** A list with commas. */
  explode?: false
  style?: 'form'
}

export type Parameters<Name extends string = string> = Readonly<Record<Name, Parameter>>

/** The parameters of a query by name. */
export type Query<Name extends string = string> = Partial<Record<Name, string>>

/** `params` are the decoded parameters of the route's path. */
export type RouteRequest<Name extends string = string> = Request & { params: Readonly<Record<Name, string>> }

/** What the OpenAPI document and the reference say about a route. */
type Documentation = {
  /** The `operationId`. */
  id: string
  summary: string
  description?: string
  requestHeaders?: Parameters
  body?: TSchema
  bodyExample?: unknown
  response: TSchema
  example?: unknown
  /** Further types of the response: streams of items, with an example of the text. */
  streams?: Readonly<Record<string, { item: object; example: string }>>
  /** In addition to those of the surface. */
  responseHeaders?: readonly HeaderName[]
  errors?: readonly DocumentedError[]
}

/** A route without a handler responds 404 and does not count; `missing` is the sentence of this 404. */
type Declaration<Param extends string = string, Name extends string = string> = {
  /** The name in metrics, usage counts and logs. */
  name: string
  /** A path of `Bun.serve`. */
  path: string
  /** GET and HEAD by default. */
  methods?: readonly string[]
  /** Principals need this scope; `read` by default. */
  scope?: Scope
  /** A key is required, also where the others are open. */
  needsKey?: true
  /** The number of requests that a request counts as, 1 by default. Handlers may charge more. */
  units?: number
  /** Handled without waiting for a turn: at most an indexed read. */
  isImmediate?: true
  /** A 304 costs nothing, because it takes one indexed read. */
  isCheap?: (request: Request) => boolean
  params?: Parameters<Param>
  query?: Parameters<Name>
  handle?: (request: RouteRequest<Param>, context: Context, query: Query<Name>) => Awaitable<Response>
  missing?: string
} & Partial<Documentation>

export type Route = Omit<Declaration, 'handle' | 'scope' | 'units'> & {
  surface: Surface
  scope: Scope
  units: number
  handle: ((request: RouteRequest, context: Context) => Awaitable<Response>) | undefined
}

/** Declares a route. Routing, validation, limits, metrics, usage, the OpenAPI document and the reference follow from it. */
export function route<Param extends string = never, Name extends string = never>(
  surface: Surface,
  declaration: Declaration<Param, Name>,
): Route {
  const { handle, scope = 'read', units = 1, ...rest } = declaration as Declaration
  const { parseQuery } = surface
  const names = Object.keys(rest.query ?? {})
  return {
    ...rest,
    surface,
    scope,
    units,
    // Without the wrapper, handlers get no query.
    handle: (parseQuery && handle
      ? (request, context) => handle(request, context, parseQuery(request, names))
      : handle) as Route['handle'],
  }
}

/** A route without key and limit. */
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

export const isDocumented = (each: Route): each is DocumentedRoute => each.id !== undefined

/** Responds 404 to the base path and all other paths below it. */
export const unknownPaths = (surface: Surface, base: string, name: string, missing?: string): Route[] =>
  [base, `${base}/*`].map((path) => route(surface, { path, name, ...(missing && { missing }) }))

/** What all requests of a server thread share. */
export type ServerContext = {
  store: Store
  catalog: Catalog
  pages: PageCache
  /** Explains scores, by id of the passport: with the rule set and at the time of the last calculation. */
  explainAll: (
    passports: readonly Pick<PassportV3, 'id' | 'rules' | 'calculatedAt'>[],
  ) => Awaitable<ReadonlyMap<number, Explanation>>
  streams: EventStreams
  now: () => number
  /** Whether every request needs a key. */
  requireKey: boolean
  backpressure: Backpressure
}

export type Context = ServerContext & {
  exchange: Exchange
  principal: Principal
  /** The headers of every response to this request. */
  headers: Headers
  /** Makes the request count as `units` requests. Throws `rate_limited`, or `invalid_request` if the limit is below `units`. */
  charge: (units: number, advise?: (limit: number) => string) => Awaitable<void>
  /** Logs an error after the response began. */
  onError: (error: unknown) => void
}

/** A request and its state until the response is sent. */
export type Exchange = LimitedExchange &
  ChargedExchange & {
    readonly request: RouteRequest
    readonly route: Route
    readonly id: string
    readonly time: number
    readonly startedAt: number
    principal: Principal
    /** A 304 that does not count. */
    isFree: boolean
  }

/** The loggable part of a request: without path, query and key. */
export type RequestSummary = {
  id: string
  method: string
  route: string
  status: number
  seconds: number
  /** Empty without a key. */
  keyId: string
  /** `none` if the request ended before its tier was determined. */
  tier: string
  address: () => string
}
