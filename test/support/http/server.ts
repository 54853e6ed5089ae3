import { afterAll, beforeAll } from 'bun:test'
import { createLocalIndex } from '../../../src/core/cli/local-index.ts'
import { DEFAULT_TIERS, parseTiers, type Tier } from '../../../src/core/config/rate-limit-tier.ts'
import { createLimiter } from '../../../src/core/http/rate-limit.ts'
import { createRequestCounter } from '../../../src/core/http/request-counter.ts'
import type { ApiServerOptions } from '../../../src/core/http/server.ts'
import { startApiServer } from '../../../src/core/http/server.ts'
import type { PassportRecord } from '../../../src/core/passport/record.ts'
import { createExplainer, createPassportExplainer } from '../../../src/core/scoring/explain-score.ts'
import type { Store } from '../../../src/core/store/store.ts'
import { apiOf } from '../../../src/serve/serving.ts'
import { createSite } from '../explorer/site.ts'
import { owning } from '../owning.ts'
import { SERVING } from '../program/serving.ts'
import { WITH_EXPLORER, WITHOUT_EXPLORER } from '../program/started-features.ts'
import { openTestStore, type TestStore } from '../store/engines.ts'
import { NOON, PEOPLE } from '../store/records.ts'
import { checkConformance } from './openapi-conformance.ts'

export type Reply = { status: number; headers: Headers; text: string; body: Json }
// biome-ignore lint/suspicious/noExplicitAny: bodies are validated against the OpenAPI document at run time.
type Json = any

/** The clock stands still and never starts a new window, so the limits are high. */
const MANY = DEFAULT_TIERS.map((tier) => ({ ...tier, requests: 1_000_000 }))

/** The tiers of a text such as "anonymous=100/10s", none of an empty one. */
export const tiersOf = (text: string) => (text === '' ? [] : (parseTiers(text) as readonly Tier[]))

export type ServerOptions = Partial<ApiServerOptions> & {
  compatV2?: boolean
  compatLater?: boolean
  /** Rate limits such as "anonymous=100/10s". */
  tiers?: string
}

/**
 * A real server on a free port. `get` checks every response against the OpenAPI document. `clock` has the time of the
 * server, unless `now` is an option.
 */
export function serveTest(
  store: Store,
  { compatV2 = true, compatLater = true, tiers, ...options }: ServerOptions = {},
) {
  const clock = { time: NOON }
  const { now = () => clock.time } = options
  const usage = createRequestCounter(now)
  const explorer = options.errorPage !== undefined
  const { routes } = createSite(undefined, undefined, explorer)
  const started = explorer ? WITH_EXPLORER : WITHOUT_EXPLORER
  const api = apiOf(SERVING, { compatV2, compatLater })
  const errors: unknown[] = []
  const server = startApiServer({
    host: '127.0.0.1',
    port: 0,
    store,
    index: createLocalIndex(store),
    explain: createPassportExplainer(store),
    explainAll: createExplainer(store),
    now,
    requireKey: false,
    trustedProxies: [],
    limiter: createLimiter({
      tiers: tiers === undefined ? MANY : tiersOf(tiers),
      now,
      isQuotaUsed: usage.isQuotaUsed,
    }),
    counter: usage,
    guards: started.guards,
    onError: (error) => errors.push(error),
    ...options,
    routes: [...api.routes, ...started.routes, ...routes, ...(options.routes ?? [])],
  })

  async function get(target: string, init: RequestInit = {}): Promise<Reply> {
    // Concatenated, because new URL(target, base) would take "//x" for another host.
    const url = new URL(server.url.origin + target)
    const response = await fetch(url, { redirect: 'manual', ...init })
    const text = await response.text()
    // The server collapses repeated slashes.
    checkConformance(init.method ?? 'GET', url.pathname.replace(/\/{2,}/g, '/'), response, text)
    const isJson = /^application\/(problem\+)?json$/.test(response.headers.get('Content-Type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  return {
    get,
    clock,
    usage,
    errors,
    url: server.url,
    port: server.port,
    requestsInProgress: server.requestsInProgress,
    openStreams: server.openStreams,
    heldBytes: server.heldBytes,
    stop: server.stop,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** A store with these records, and its server. The end of the block closes both. */
export async function serveRecords(options: ServerOptions = {}, records: readonly PassportRecord[] = PEOPLE) {
  const store = await openTestStore('sqlite', records)
  const server = serveTest(store, options)
  return owning({ ...server, store }, store, server)
}

/** Returns the error of a promise that must fail. */
export const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => Promise.reject(new Error('The promise did not fail.')),
    (error) => error,
  )

/** One store and one server for all tests of a block. The tests must not write. */
export function shareServer<S extends AsyncDisposable>(
  open: () => Promise<TestStore>,
  serve: (store: Store) => S | Promise<S>,
): S {
  const server = {} as S
  let store: TestStore
  beforeAll(async () => {
    store = await open()
    Object.assign(server, await serve(store))
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })
  return server
}
