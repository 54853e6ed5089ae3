import type { ApiKey } from '../domain/api-key.ts'
import { CallerGone, notFound, ServiceError } from '../domain/errors.ts'
import type { RetirementPlan } from '../domain/retirement.ts'
import type { Tier } from '../domain/tier.ts'
import type { Endpoint } from '../domain/usage.ts'
import type { Awaitable, IsGone, Store } from '../store/store.ts'
import { createAddressOf } from './address.ts'
import type { Answer } from './answer.ts'
import { authenticate } from './auth.ts'
import { preflight } from './cors.ts'
import type { Taken } from './counters.ts'
import { presentError, publicError } from './errors.ts'
import { etagOf, isFresh } from './etag.ts'
import { commonHead, createV1Heads } from './headers.ts'
import { getHealth, getReadiness } from './health.ts'
import type { Limiter } from './limits.ts'
import type { Metrics, Route } from './metrics.ts'
import { checkMethod, checkSize, nameMethod, originOf, splitTarget } from './request.ts'
import { requestIdOf } from './request-id.ts'
import { checkBrownout, checkRemoval } from './retirement.ts'
import type { UsageCounter } from './usage.ts'
import { createV1Routes, type Handler, isV1Path, type Route as V1Route } from './v1/routes.ts'
import type { Incoming } from './wire/incoming.ts'
import type { Reply } from './wire/reply.ts'
import { serveHttp, type WireServer } from './wire/server.ts'

export type ServerOptions = {
  host: string
  port: number
  /** A socket that listens there already, to be used instead of a new one. */
  fd?: number | undefined
  store: Store
  now: () => number
  requireKey: boolean
  /** Addresses and blocks of proxies whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[]
  limiter: Limiter
  usage: UsageCounter
  /** How V1 ends, as it is known now. */
  plan: () => RetirementPlan
  /** Where the plan does not say. */
  deprecatedAt: number
  /** Answers by path: the reference page and its parts. */
  pages: Readonly<Record<string, Answer | (() => Answer)>>
  /** Pages that show passports to people, where they are on. */
  explorer?: Explorer | undefined
  onError: (error: unknown, request: Pick<Answered, 'id' | 'method' | 'route'>) => void
  /** Told what an operator should know. */
  onNotice?: ((sentence: string) => void) | undefined
  metrics?: Metrics | undefined
  /** Told of every answer, for logs. */
  onAnswer?: ((answered: Answered) => void) | undefined
}

export type PageRequest = {
  /** With its `/` in front. */
  path: string
  query: URLSearchParams
  /** The scheme and host of the address that was asked for. */
  origin: string
  isGone?: IsGone
}

export type Explorer = {
  /** What renders the page at a path, if it is one of the explorer's. */
  find(path: string): ((request: PageRequest) => Awaitable<Answer>) | undefined
  /** A page for people in place of an error's JSON, on the explorer's paths. */
  presentError(status: number, message: string, requestId: string): Answer
}

/** What may be told of a request: no path, query or key. */
export type Answered = {
  id: string
  method: string
  route: Route
  status: number
  seconds: number
  /** The id of the key; empty for callers without one. */
  key: string
  /** `none` where the request did not get that far. */
  tier: string
  address: () => string
}

export function startServer(options: ServerOptions): WireServer {
  const { host, port, fd, now, onNotice, metrics } = options
  return serveHttp({
    host,
    port,
    fd,
    handle: createHandler(options),
    refuse({ code, message }) {
      const id = crypto.randomUUID()
      const answer = presentError(new ServiceError(code, message), id)
      metrics?.countRequest('other', answer.status, NO_TIER, 0)
      return { head: commonHead(answer.status, answer), lines: idLine(id), body: answer.body }
    },
    now,
    onNotice,
  })
}

function createHandler(options: ServerOptions) {
  const { store, now, limiter, usage, plan, pages, explorer, metrics, onError, onAnswer } = options
  const findV1 = createV1Routes(store)
  const own: Record<string, Handler> = { '/health': getHealth, '/ready': getReadiness(store) }
  for (const [path, page] of Object.entries(pages)) own[path] = typeof page === 'function' ? page : () => page
  const addressOf = createAddressOf(options.trustedProxies)
  const v1Head = createV1Heads(options)
  const isTimed = metrics !== undefined || onAnswer !== undefined

  function answerOwn(exchange: Exchange): Awaitable<Answer> {
    const { incoming, path, query } = exchange
    exchange.route = ownRoute(path)
    const handler = Object.hasOwn(own, path) ? own[path] : undefined
    const page = handler ? undefined : explorer?.find(path)
    if (page) exchange.route = 'explorer'
    checkSize(incoming)
    if (!handler && !page) throw notFound()
    if (incoming.method === 'OPTIONS') return preflight()
    checkMethod(incoming.method)
    if (handler) return handler(query)
    exchange.tier = limiter.tierOfPages()
    const taken = limiter.take(exchange.tier, undefined, exchange.address)
    const render = (counted: Taken | undefined) => {
      exchange.taken = counted
      return page?.({
        path,
        query: new URLSearchParams(query),
        origin: originOf(incoming.fields),
        isGone: exchange.isGone,
      }) as Awaitable<Answer>
    }
    return taken instanceof Promise ? taken.then(render) : render(taken)
  }

  function answerV1(exchange: Exchange): Awaitable<Answer> {
    const { incoming, path } = exchange
    checkSize(incoming)
    const route = findV1(path)
    if (route) exchange.route = route.endpoint
    // Before all that may need the store. Preflights go on, so that pages can read the 410.
    if (incoming.method !== 'OPTIONS') checkRemoval(plan(), exchange.time)
    if (!route) throw notFound()
    if (incoming.method === 'OPTIONS') return preflight()
    // What is there at once is not waited for: that would cost a turn of the event loop at each step.
    const key = authenticate(incoming.fields, exchange.address, options)
    return key instanceof Promise
      ? key.then((found) => detach(countAndHandle(exchange, route, found)))
      : countAndHandle(exchange, route, key)
  }

  function countAndHandle(exchange: Exchange, route: V1Route, key: ApiKey | undefined): Awaitable<Answer> {
    exchange.key = key?.id ?? ''
    exchange.tier = limiter.tierOf(key)
    const taken = limiter.take(exchange.tier, key, exchange.address)
    return taken instanceof Promise
      ? taken.then((counted) => detach(handle(exchange, route, counted)))
      : handle(exchange, route, taken)
  }

  function handle(exchange: Exchange, route: V1Route, taken: Taken | undefined): Awaitable<Answer> {
    exchange.taken = taken
    checkMethod(exchange.incoming.method)
    checkBrownout(plan(), exchange.time, exchange.key)
    return route.handle(exchange.query, exchange.isGone)
  }

  function ownRoute(path: string): Route {
    if (path === '/health') return 'health'
    if (path === '/ready') return 'ready'
    return Object.hasOwn(own, path) ? 'page' : 'not_found'
  }

  function present(error: unknown, { id, incoming, route }: Exchange): Answer {
    if (error instanceof CallerGone) return GONE
    const answer = presentError(error, id)
    if (answer.status >= 500) onError(error, { id, method: nameMethod(incoming.method), route })
    if (route !== 'explorer' || !explorer) return answer
    const page = explorer.presentError(answer.status, publicError(error).message, id)
    return { ...page, headers: { ...answer.headers, ...page.headers } }
  }

  function respond(exchange: Exchange, answer: Answer): Reply {
    const { incoming, id, isV1, route, key, tier, taken, time, begin, address } = exchange
    const etag = answer.status === 200 ? (answer.etag ?? etagOf(answer.body)) : undefined
    const isKnown = etag !== undefined && isFresh(incoming.ifNoneMatch, etag)
    const status = isKnown ? 304 : answer.status
    let lines = idLine(id)
    if (etag !== undefined) lines += `ETag: ${etag}\r\n`
    if (tier && taken) {
      if (isKnown) taken.giveBack()
      lines += `RateLimit: ${limiter.describe(tier, taken.left + Number(isKnown), taken.seconds)}\r\n`
    }
    if (isV1) usage.count(key, route as Endpoint, status, time)
    const seconds = isTimed ? (performance.now() - begin) / 1000 : 0
    metrics?.countRequest(route, status, tier?.name ?? NO_TIER, seconds)
    onAnswer?.({
      id,
      method: nameMethod(incoming.method),
      route,
      status,
      seconds,
      key,
      tier: tier?.name ?? NO_TIER,
      address,
    })
    return {
      head: isV1 ? v1Head(status, answer, taken && tier) : commonHead(status, answer),
      lines,
      body: isKnown ? '' : answer.body,
    }
  }

  return (incoming: Incoming, isGone: IsGone): Awaitable<Reply> => {
    const { path, query } = splitTarget(incoming.target)
    const isV1 = isV1Path(path)
    const exchange: Exchange = {
      incoming,
      path,
      query,
      isV1,
      time: now(),
      begin: isTimed ? performance.now() : 0,
      id: requestIdOf(incoming.fields),
      address: () => addressOf(incoming),
      isGone,
      route: 'other',
      key: '',
      tier: undefined,
      taken: undefined,
    }
    let answer: Awaitable<Answer>
    try {
      answer = isV1 ? answerV1(exchange) : answerOwn(exchange)
    } catch (error) {
      return respond(exchange, present(error, exchange))
    }
    if (!(answer instanceof Promise)) return respond(exchange, answer)
    return answer.catch((error) => present(error, exchange)).then((presented) => respond(exchange, presented))
  }
}

/** A request, and what becomes known of it on the way, also where that ends in an error. */
type Exchange = {
  readonly incoming: Incoming
  readonly path: string
  readonly query: string
  readonly isV1: boolean
  /** When it came; `begin` is the same to the microsecond. */
  readonly time: number
  readonly begin: number
  readonly id: string
  readonly address: () => string
  readonly isGone: IsGone
  route: Route
  /** The id of the key. */
  key: string
  tier: Tier | undefined
  /** What was counted on its limit, if it has one. */
  taken: Taken | undefined
}

/** What was waited for is sent later, when others may have been made in the same place: see page-cache.ts. */
function detach(answer: Awaitable<Answer>): Awaitable<Answer> {
  if (answer instanceof Promise || !(answer.body instanceof Uint8Array)) return answer
  return { ...answer, body: Uint8Array.from(answer.body) }
}

/** Nobody receives it; it is counted and logged with the status that others use for this. */
const GONE: Answer = { status: 499, headers: {}, body: '' }

const NO_TIER = 'none'

const idLine = (id: string) => `X-Request-Id: ${id}\r\n`
