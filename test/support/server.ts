import { json } from '../../src/api/answer.ts'
import { createCounters } from '../../src/api/counters.ts'
import { createLimiter } from '../../src/api/limits.ts'
import { createOpenApi } from '../../src/api/openapi.ts'
import { type ServerOptions, startServer } from '../../src/api/server.ts'
import { createUsageCounter } from '../../src/api/usage.ts'
import { datePlan, NO_PLAN } from '../../src/domain/retirement.ts'
import { DEFAULT_TIERS } from '../../src/domain/tier.ts'
import { createDeprecation } from '../../src/explorer/deprecation/deprecation.ts'
import { createReference } from '../../src/explorer/reference/reference.ts'
import type { Store } from '../../src/store/store.ts'
import { checkConformance } from './conformance.ts'
import { NOON } from './records.ts'

export type Reply = { status: number; headers: Headers; text: string; body: Json }
// biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape; the shape itself is checked.
type Json = any

/** Tests ask much in no time: the clock stands still. */
const MANY = DEFAULT_TIERS.map((tier) => ({ ...tier, requests: 1_000_000 }))

/** A real server on a free port. Every answer that is received through `get` is held against the OpenAPI document. */
export function serveTest(store: Store, options: Partial<ServerOptions> = {}) {
  const deprecatedAt = Date.UTC(2025, 2, 31)
  const openApi = createOpenApi('0.0.0')
  const datedPlan = () => datePlan(options.plan?.() ?? NO_PLAN, options.deprecatedAt ?? deprecatedAt)
  const shown = {
    plan: datedPlan,
    now: options.now ?? (() => NOON),
    explorer: options.explorer !== undefined,
  }
  const reference = createReference(openApi, shown)
  const errors: unknown[] = []
  const server = startServer({
    host: '127.0.0.1',
    port: 0,
    store,
    now: () => NOON,
    requireKey: false,
    trustedProxies: [],
    limiter: createLimiter({
      tiers: MANY,
      counters: createCounters(() => NOON),
      now: () => NOON,
      isSpent: () => false,
    }),
    usage: createUsageCounter(() => NOON),
    plan: () => NO_PLAN,
    deprecatedAt,
    onError: (error) => errors.push(error),
    ...options,
    pages: {
      '/openapi.json': json(openApi),
      ...reference,
      ...createDeprecation(shown),
      ...(options.explorer ? {} : { '/': reference['/reference'] }),
      ...options.pages,
    },
  })

  async function get(target: string, init: RequestInit = {}): Promise<Reply> {
    // Joined as text: resolved against a base, "//x" would be another host.
    const url = new URL(server.url.origin + target)
    const response = await fetch(url, { redirect: 'manual', ...init })
    const text = await response.text()
    // Bun's fetch asks for "/" where the address ends in slashes alone.
    checkConformance(init.method ?? 'GET', url.pathname.replace(/^\/+$/, '/'), response, text)
    const isJson = response.headers.get('Content-Type') === 'application/json'
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    }
  }

  return {
    get,
    /** What the server reported of failures that are not the caller's. */
    errors,
    url: server.url,
    port: server.port as number,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
