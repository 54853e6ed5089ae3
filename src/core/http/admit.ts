import { type Awaitable, andThen } from '../basics/awaitable.ts'
import { unauthorized } from '../basics/errors.ts'
import type { ApiKey } from '../store/api-key.ts'
import { isActive, matchesKey, parseKey, type SentKey } from './client-identity.ts'
import { checkLimit } from './rate-limit.ts'
import type { Context } from './route.ts'
import type { ServerState } from './server-state.ts'

/** Finds the key of a request. Throws `unauthorized`, or `rate_limited` after too many wrong keys. */
export function identify(context: Context, { keyHelp }: ServerState): Awaitable<void> {
  const { route, request, requireKey, store } = context
  if (!route.surface.usesKeys) return undefined
  const sent = parseKey(request.headers.get('x-api-key'))
  if (sent) {
    const found = sent.id === undefined ? undefined : store.keys.find(sent.id)
    return andThen(found, (key) => useKey(context, sent, key, keyHelp))
  }
  if ((requireKey && !route.access) || route.needsKey) throw unauthorized(keyHelp)
}

function useKey(context: Context, sent: SentKey, key: ApiKey | undefined, keyHelp?: string): void {
  const isRight = matchesKey(sent, key)
  if (!isRight) context.limiter.consumeWrongKey(context.address())
  if (!isRight || !isActive(key, context.time)) throw unauthorized(keyHelp)
  context.key = key
  context.principal = key
}

/** Counts the request for its client. Throws `rate_limited`. */
export function applyLimit(context: Context, { headersOf }: ServerState): void {
  const { limiter, route } = context
  const tier = limiter.tierOf(route.surface, context.key)
  if (!tier) return
  context.tier = tier
  context.consumed = checkLimit(tier, limiter.consume(tier, context))
  if (context.consumed) context.headers = headersOf(route.surface, tier)
}
