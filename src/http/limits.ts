import type { ApiKey } from '../domain/api-key.ts'
import { ServiceError } from '../domain/errors.ts'
import { ANONYMOUS, DEFAULT_TIERS, type Tier } from '../domain/tier.ts'
import type { Counters, Taken } from './counters.ts'

/** Wrong keys that one address may try before it must wait. */
const WRONG_KEYS = 60
const WRONG_KEY_WINDOW = 60

const DAYS_OF_MONTH = 30

export type LimiterOptions = {
  tiers: readonly Tier[]
  counters: Counters
  now: () => number
  /** Requests of a key in the present month, as far as is known here. */
  usedThisMonth: (key: string) => number
}

/** The address is asked for where there is no key. */
export type Caller = { address: () => string; key: ApiKey | undefined }

/** What a caller may still do; its headers go on the answer. */
export type Allowance = {
  headers: Record<string, string>
  /** Where the request shall cost nothing after all; the headers are then these. */
  giveBack(): Record<string, string>
}

export function createLimiter({ tiers, counters, now, usedThisMonth }: LimiterOptions) {
  const byName = new Map([...DEFAULT_TIERS, ...tiers].map((tier) => [tier.name, tier]))
  const fallback = byName.get('standard') as Tier
  const policies = new Map([...byName.values()].map((tier) => [tier, policy(tier)]))
  const policyOf = (tier: Tier) => policies.get(tier) as string

  const secondsLeft = (window: number) => window - Math.floor((now() / 1000) % window)

  function tierOf(key: ApiKey | undefined): Tier {
    return byName.get(key?.tier ?? ANONYMOUS) ?? fallback
  }

  function allow(tier: Tier, taken: Taken): Allowance {
    const seconds = secondsLeft(tier.window)
    const headersFor = (left: number) => ({
      'RateLimit-Policy': policyOf(tier),
      RateLimit: `"${tier.name}";r=${left};t=${seconds}`,
    })
    if (taken.left < 0) {
      const limit = `${tier.requests.toLocaleString('en')} requests in ${tier.window} s`
      throw tooMany(limit, seconds, headersFor(0))
    }
    return {
      headers: headersFor(taken.left),
      giveBack() {
        taken.giveBack()
        return headersFor(taken.left + 1)
      },
    }
  }

  function checkMonth(tier: Tier, key: ApiKey | undefined): void {
    if (tier.monthly === undefined || !key || usedThisMonth(key.id) < tier.monthly) return
    const date = new Date(now())
    const end = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
    const seconds = Math.ceil((end - now()) / 1000)
    throw tooMany(`${tier.monthly.toLocaleString('en')} requests a month`, seconds, {
      'RateLimit-Policy': policyOf(tier),
      RateLimit: `"${tier.name}-month";r=0;t=${seconds}`,
    })
  }

  return {
    tierOf,

    /** Counts the request, or throws `rate_limited`. */
    take({ address, key }: Caller): Allowance | Promise<Allowance> {
      const tier = tierOf(key)
      checkMonth(tier, key)
      if (tier.requests === Number.POSITIVE_INFINITY) return { headers: {}, giveBack: () => ({}) }
      const caller = `${tier.name} ${key?.id ?? address()}`
      const taken = counters.take(caller, tier.requests, tier.window)
      return taken instanceof Promise ? taken.then((counted) => allow(tier, counted)) : allow(tier, taken)
    },

    /** Counts a wrong key; throws `rate_limited` where there were too many from this address. */
    async takeWrongKey(address: string): Promise<void> {
      const { left } = await counters.take(`wrong ${address}`, WRONG_KEYS, WRONG_KEY_WINDOW)
      if (left >= 0) return
      const seconds = secondsLeft(WRONG_KEY_WINDOW)
      throw tooMany(`${WRONG_KEYS} wrong keys in ${WRONG_KEY_WINDOW} s`, seconds, {
        'RateLimit-Policy': `"wrong-keys";q=${WRONG_KEYS};w=${WRONG_KEY_WINDOW}`,
        RateLimit: `"wrong-keys";r=0;t=${seconds}`,
      })
    },
  }
}

export type Limiter = ReturnType<typeof createLimiter>

function policy({ name, requests, window, monthly }: Tier): string {
  const month = monthly === undefined ? '' : `, "${name}-month";q=${monthly};w=${DAYS_OF_MONTH * 86_400}`
  return `"${name}";q=${requests};w=${window}${month}`
}

const tooMany = (what: string, seconds: number, headers: Record<string, string>) =>
  new ServiceError('rate_limited', `The limit is ${what}: try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds), ...headers },
  })
