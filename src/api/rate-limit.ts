import type { ApiKey } from '../domain/api-key.ts'
import { ServiceError } from '../domain/errors.ts'
import { ANONYMOUS, DEFAULT_TIERS, type Tier } from '../domain/tier.ts'
import type { RateLimitCounter, RateLimitResult } from './fixed-window.ts'
import type { Advise, Exchange, Surface } from './route.ts'

const WRONG_KEYS = 60
const WRONG_KEY_WINDOW = 60

const DAYS_OF_MONTH = 30

type LimiterOptions = {
  tiers: readonly Tier[]
  counter: RateLimitCounter
  now: () => number
  /** Whether the key has used its monthly quota, by the counts that this node has. */
  isQuotaUsed: (keyId: string, quota: number) => boolean
}

export function createLimiter({ tiers, counter, now, isQuotaUsed }: LimiterOptions) {
  const byName = new Map([...DEFAULT_TIERS, ...tiers].map((tier) => [tier.name, tier]))
  const fallback = byName.get('standard') as Tier
  const policies = new Map([...byName.values()].map((tier) => [tier, policy(tier)]))
  const policyOf = (tier: Tier) => policies.get(tier) as string

  const describe = (tier: Tier, remaining: number, seconds: number) =>
    `"${tier.name}";r=${remaining};t=${seconds}`

  /** Throws `rate_limited` if the request was over the limit. */
  function check(tier: Tier, consumed: RateLimitResult | undefined, units = 1): RateLimitResult | undefined {
    if (!consumed || consumed.remaining >= 0) return consumed
    const cost = units === 1 ? '' : `, and this request counts as ${units}`
    const limit = `${tier.requests.toLocaleString('en')} requests in ${tier.window} s${cost}`
    throw rateLimited(limit, consumed.seconds, {
      'RateLimit-Policy': policyOf(tier),
      RateLimit: describe(tier, 0, consumed.seconds),
    })
  }

  function checkMonth(tier: Tier, key: ApiKey | undefined): void {
    if (tier.monthly === undefined || !key || !isQuotaUsed(key.id, tier.monthly)) return
    const date = new Date(now())
    const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    const seconds = Math.ceil((end - now()) / 1000)
    throw rateLimited(`${tier.monthly.toLocaleString('en')} requests a month`, seconds, {
      'RateLimit-Policy': policyOf(tier),
      RateLimit: `"${tier.name}-month";r=0;t=${seconds}`,
    })
  }

  return {
    policyOf,
    describe,

    /** `undefined` if the surface has no limit. */
    tierOf({ usesKeys, tier }: Surface, key: ApiKey | undefined): Tier | undefined {
      if (tier !== undefined) return byName.get(tier)
      return usesKeys && (byName.get(key?.tier ?? ANONYMOUS) ?? fallback)
    },

    check,

    /** Counts the request by key, or by address without a key. A tier without a limit does not count. */
    consume(tier: Tier, key: ApiKey | undefined, address: () => string, units = 1) {
      checkMonth(tier, key)
      if (tier.requests === Number.POSITIVE_INFINITY) return undefined
      return counter.consume(`${tier.name} ${key?.id ?? address()}`, tier.requests, tier.window, units)
    },

    /** Counts a wrong key; throws `rate_limited` after too many from this address. */
    async consumeWrongKey(address: string): Promise<void> {
      const { remaining, seconds } = await counter.consume(`wrong ${address}`, WRONG_KEYS, WRONG_KEY_WINDOW)
      if (remaining >= 0) return
      throw rateLimited(`${WRONG_KEYS} wrong keys in ${WRONG_KEY_WINDOW} s`, seconds, {
        'RateLimit-Policy': `"wrong-keys";q=${WRONG_KEYS};w=${WRONG_KEY_WINDOW}`,
        RateLimit: `"wrong-keys";r=0;t=${seconds}`,
      })
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>

/** Makes a request count as `units` requests. The first unit was counted before its handler was called. */
export async function charge(
  limiter: Limiter,
  exchange: Exchange,
  units: number,
  advise?: Advise,
): Promise<void> {
  const { tier, key, address } = exchange
  if (!tier || units <= exchange.units) return
  if (units > tier.requests) throw aboveLimit(tier, units, advise?.(tier.requests))
  const consumed = await limiter.consume(tier, key, address, units - exchange.units)
  if (consumed && consumed.remaining < 0) refundFirst(exchange)
  exchange.consumed = limiter.check(tier, consumed, units)
  exchange.units = units
}

/** A 429 costs nothing. Otherwise many large requests at once would use up the limit, and none would be served. */
function refundFirst(exchange: Exchange): void {
  const { consumed, units } = exchange
  if (!consumed || units > 1 || !consumed.refund()) return
  exchange.consumed = { ...consumed, remaining: consumed.remaining + 1 }
}

/** A request that no window has room for: trying again is useless. */
function aboveLimit({ requests, window }: Tier, units: number, given?: ReturnType<Advise>): ServiceError {
  const advice = given?.advice ?? 'ask for less'
  const detail = `This request counts as ${units} requests, but the limit is ${requests} in ${window} s: ${advice}.`
  const invalid = given ? [{ pointer: given.pointer, detail }] : []
  return new ServiceError('invalid_request', detail, { invalid })
}

function policy({ name, requests, window, monthly }: Tier): string {
  const month = monthly === undefined ? '' : `, "${name}-month";q=${monthly};w=${DAYS_OF_MONTH * 86_400}`
  return `"${name}";q=${requests};w=${window}${month}`
}

const rateLimited = (limit: string, seconds: number, headers: Record<string, string>) =>
  new ServiceError('rate_limited', `The limit is ${limit}: try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds), ...headers },
  })
