import { ServiceError } from '../basics/errors.ts'
import { createFixedWindow, type RateLimitResult } from '../basics/fixed-window.ts'
import { ANONYMOUS, DEFAULT_TIERS, type Tier } from '../config/rate-limit-tier.ts'
import type { ApiKey } from '../store/api-key.ts'
import { type Client, clientOf } from './client-identity.ts'

const FIXED = {
  'wrong keys': { name: 'wrong-keys', requests: 60, window: 60 },
  /** Counted by address only, so that nobody can use up the proofs of another person. */
  proofs: { name: 'wallet-proofs', requests: 30, window: 60 },
  /** Of what others see of a passport: each is an event for everybody who follows the log. */
  changes: { name: 'hidings', requests: 6, window: 24 * 3600 },
  /** Each is an entry of the audit log. */
  'changes of webhooks': { name: 'webhook-changes', requests: 100, window: 3600 },
}

type LimiterOptions = {
  tiers: readonly Tier[]
  /** The counts. Several threads can share them. */
  windows?: Int32Array | undefined
  now: () => number
  /** Whether the key has used up its monthly quota, as far as this node knows. */
  isQuotaUsed: (keyId: string, quota: number) => boolean
}

export function createLimiter({ tiers, windows, now, isQuotaUsed }: LimiterOptions) {
  const counter = createFixedWindow(now, windows)
  const byName = new Map([...DEFAULT_TIERS, ...tiers].map((tier) => [tier.name, tier]))
  const fallback = byName.get('standard') as Tier

  function checkMonth(tier: Tier, key: ApiKey | undefined): void {
    if (tier.monthly === undefined || !key || !isQuotaUsed(key.id, tier.monthly)) return
    const date = new Date(now())
    const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    const seconds = Math.ceil((end - now()) / 1000)
    const limit = `${tier.monthly.toLocaleString('en')} requests a month`
    throw rateLimited(limit, tier, seconds, `${tier.name}-month`)
  }

  return {
    /** `undefined` if the surface has no limit. */
    tierOf(
      { usesKeys, tier }: { usesKeys?: true; tier?: string },
      key: ApiKey | undefined,
    ): Tier | undefined {
      if (tier !== undefined) return byName.get(tier)
      return usesKeys && (byName.get(key?.tier ?? ANONYMOUS) ?? fallback)
    },

    /** Counts the request for its client. Tiers without a limit are not counted. */
    consume(tier: Tier, client: Client, units = 1) {
      checkMonth(tier, client.key)
      if (tier.requests === Number.POSITIVE_INFINITY) return undefined
      return counter.consume(`${tier.name} ${clientOf(client)}`, tier.requests, tier.window, units)
    },

    /** Counts one of `what` for a key, an address or a passport. Throws `rate_limited` after too many. */
    consumeFixed(what: keyof typeof FIXED, client: string | number): void {
      const { requests, window } = FIXED[what]
      const { remaining, seconds } = counter.consume(`${what} ${client}`, requests, window)
      if (remaining < 0) throw rateLimited(`${requests} ${what} in ${window} s`, FIXED[what], seconds)
    },
  }
}

/** Throws `rate_limited` if the request was over the limit. */
export function checkLimit(
  tier: Tier,
  consumed: RateLimitResult | undefined,
  units = 1,
): RateLimitResult | undefined {
  if (!consumed || consumed.remaining >= 0) return consumed
  const cost = units === 1 ? '' : `, and this request counts as ${units}`
  const limit = `${tier.requests.toLocaleString('en')} requests in ${tier.window} s${cost}`
  throw rateLimited(limit, tier, consumed.seconds)
}

export type Limiter = ReturnType<typeof createLimiter>

export type ChargedExchange = Client & {
  tier: Tier | undefined
  consumed: RateLimitResult | undefined
  units: number
}

/**
 * Makes a request count as `units` requests. One was counted before the handler was called. Throws `rate_limited`, or
 * `invalid_request` if `units` exceeds the limit, because then no retry can succeed.
 */
export function charge(
  limiter: Limiter,
  exchange: ChargedExchange,
  units: number,
  advice = 'ask for less',
): void {
  const { tier } = exchange
  if (!tier || units <= exchange.units) return
  if (units > tier.requests) {
    const limit = `the limit is ${tier.requests} in ${tier.window} s`
    const message = `This request counts as ${units} requests, but ${limit}: ${advice}.`
    throw new ServiceError('invalid_request', message)
  }
  const consumed = limiter.consume(tier, exchange, units - exchange.units)
  if (consumed && consumed.remaining < 0) refundFirst(exchange)
  exchange.consumed = checkLimit(tier, consumed, units)
  exchange.units = units
}

const BYTES_PER_UNIT = 8 * 1024

/** The units that a body adds to its request, because receiving it takes memory and delays other requests. */
export const unitsOfBody = (bytes: number): number => Math.floor(bytes / BYTES_PER_UNIT)

/** A 429 costs nothing. Otherwise many large requests at once would use up the limit, and none would be served. */
function refundFirst(exchange: ChargedExchange): void {
  const { consumed, units } = exchange
  if (!consumed || units > 1 || !consumed.refund()) return
  exchange.consumed = { ...consumed, remaining: consumed.remaining + 1 }
}

/** The value of the header `RateLimit-Policy`. A month counts as 30 days. */
export function policyOf({ name, requests, window, monthly }: Tier): string {
  const month = monthly === undefined ? '' : `, "${name}-month";q=${monthly};w=${30 * 86_400}`
  return `"${name}";q=${requests};w=${window}${month}`
}

export const describeLimit = (name: string, remaining: number, seconds: number) =>
  `"${name}";r=${remaining};t=${seconds}`

const rateLimited = (limit: string, tier: Tier, seconds: number, name = tier.name) =>
  new ServiceError('rate_limited', `The limit is ${limit}: try again in ${seconds} s.`, {
    headers: {
      'Retry-After': String(seconds),
      'RateLimit-Policy': policyOf(tier),
      RateLimit: describeLimit(name, 0, seconds),
    },
  })
