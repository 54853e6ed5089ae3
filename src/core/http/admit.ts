import type { Awaitable } from '../basics/awaitable.ts'
import { unauthorized } from '../basics/errors.ts'
import type { ApiKey } from '../store/api-key.ts'
import type { Store } from '../store/store.ts'
import { isActive, matchesKey, type Principal, parseKey, type SentKey } from './client-identity.ts'
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

/** Finds the key of a request. Throws `unauthorized`, or `rate_limited` after too many wrong keys. */
export function identify(
  options: Options,
  exchange: AdmittedExchange,
  surface: LimitedSurface,
  isKeyRequired = false,
): Awaitable<void> {
  if (!surface.usesKeys) return undefined
  const sent = parseKey(exchange.request.headers.get('x-api-key'))
  if (!sent && isKeyRequired) throw unauthorized(options.keyHelp)
  if (!sent) return undefined
  const found = sent.id === undefined ? undefined : options.findKey(sent.id)
  if (!(found instanceof Promise)) return useKey(options, exchange, sent, found)
  return found.then((key) => useKey(options, exchange, sent, key))
}

function useKey(
  { limiter, keyHelp }: Options,
  exchange: AdmittedExchange,
  sent: SentKey,
  key: ApiKey | undefined,
): void {
  const isRight = matchesKey(sent, key)
  if (!isRight) limiter.consumeWrongKey(exchange.address())
  if (!isRight || !isActive(key, exchange.time)) throw unauthorized(keyHelp)
  exchange.key = key
  exchange.principal = key
}

/** Counts the request for its client. Throws `rate_limited`. */
export function countForLimit(
  { limiter }: Options,
  exchange: AdmittedExchange,
  surface: LimitedSurface,
): void {
  const tier = limiter.tierOf(surface, exchange.key)
  if (!tier) return
  exchange.tier = tier
  exchange.consumed = checkLimit(tier, limiter.consume(tier, exchange))
}
