import { unauthorized } from '../basics/errors.ts'
import type { Store } from '../store/store.ts'
import { checkOrigin, isActive, matchesKey, type Principal, parseKey } from './client-identity.ts'
import { type ChargedExchange, checkLimit, type LimitedSurface, type Limiter } from './rate-limit.ts'

type Options = {
  findKey: Store['keys']['find']
  limiter: Limiter
  /** How to get a key, for the error. */
  keyHelp?: string | undefined
}

export type AdmittedExchange = ChargedExchange & {
  readonly request: Request
  readonly time: number
  /** Set to that of the key. Without a key, it stays the same. */
  principal: Principal
}

/**
 * Finds the key of a request, and counts the request for its client. Throws `unauthorized`, `rate_limited`, or `forbidden` if a
 * publishable key is not sent from one of its origins.
 */
export async function admit(
  { findKey, limiter, keyHelp }: Options,
  exchange: AdmittedExchange,
  surface: LimitedSurface,
  isKeyRequired = false,
): Promise<void> {
  const { request, time, address } = exchange
  if (surface.usesKeys) {
    const sent = parseKey(request.headers.get('x-api-key'))
    const named = sent?.id === undefined ? undefined : await findKey(sent.id)
    const key = sent && matchesKey(sent, named) ? named : undefined
    if (sent && !key) limiter.consumeWrongKey(address())
    if (sent ? !isActive(key, time) : isKeyRequired) throw unauthorized(keyHelp)
    exchange.key = key
    exchange.principal = key ?? exchange.principal
  }
  const tier = limiter.tierOf(surface, exchange.key)
  if (tier) {
    exchange.tier = tier
    exchange.consumed = checkLimit(tier, limiter.consume(tier, exchange.key, address))
  }
  checkOrigin(exchange.principal, request)
}
