import { count } from '../basics/text/counts-and-sizes.ts'
import { parseDuration } from '../basics/text/duration.ts'
import { DEFAULT_TIER } from '../store/api-key.ts'

export type Tier = {
  name: string
  /** Requests per window; `Infinity` means no limit. */
  requests: number
  /** The length of the window in seconds. */
  window: number
  /** Requests per calendar month (UTC). */
  monthly?: number
}

/** The tier of clients without a key; each IP address is counted separately. */
export const ANONYMOUS = 'anonymous'

/** The tier of the explorer's pages; each IP address is counted separately. */
export const EXPLORER = 'explorer'

/** The tier of badges and cards, which image proxies load for many people from one address. */
export const PICTURES = 'pictures'

export const DEFAULT_TIERS: readonly Tier[] = [
  { name: ANONYMOUS, requests: 1000, window: 10 },
  { name: EXPLORER, requests: 300, window: 10 },
  { name: PICTURES, requests: 3000, window: 10 },
  { name: 'standard', requests: 5000, window: 10 },
  { name: 'high', requests: 20_000, window: 10 },
  { name: 'unlimited', requests: Number.POSITIVE_INFINITY, window: 10 },
]

/** Describes the limits of clients without a key and of a key with the default tier. */
export function describeLimits(tiers: readonly Tier[], isKeyRequired: boolean): string {
  const limitOf = (wanted: string) => {
    const { requests, window } = [...DEFAULT_TIERS, ...tiers].findLast(({ name }) => name === wanted) as Tier
    return Number.isFinite(requests)
      ? `${count(requests, 'request')} in ${count(window, 'second')}`
      : 'any number of requests'
  }
  const first = isKeyRequired ? '' : `Without a key, one address may send ${limitOf(ANONYMOUS)}. `
  return `${first}A key usually allows ${limitOf(DEFAULT_TIER)}. The header RateLimit-Policy of a response has the limit that applies.`
}

const MOST_REQUESTS = 1_000_000
const MOST_SECONDS = 86_400

export const TIERS_EXAMPLE = 'partner=20000/10s+5000000/month, internal=unlimited'

/** Parses tiers such as `partner=20000/10s+5000000/month, internal=unlimited`; other tiers keep their defaults. */
export function parseTiers(text: string): readonly Tier[] | undefined {
  const tiers = new Map(DEFAULT_TIERS.map((tier) => [tier.name, tier]))
  for (const part of text.split(',')) {
    const tier = parseTier(part.trim())
    if (!tier) return undefined
    tiers.set(tier.name, tier)
  }
  return [...tiers.values()]
}

function parseTier(text: string): Tier | undefined {
  const [, name = '', limit = ''] = /^([a-z][a-z0-9_-]{0,31})\s*=\s*(.+)$/.exec(text) ?? []
  if (limit === 'unlimited') return { name, requests: Number.POSITIVE_INFINITY, window: 10 }
  const match = /^(\d{1,7})\/(\w+)(?:\s*\+\s*(\d{1,12})\/month)?$/.exec(limit)
  if (!match) return undefined
  const [, requests, length = '', monthly] = match
  const tier = { name, requests: Number(requests), window: (parseDuration(length) ?? 0) / 1000 }
  if (tier.requests < 1 || tier.requests > MOST_REQUESTS) return undefined
  if (tier.window < 1 || tier.window > MOST_SECONDS) return undefined
  return monthly === undefined ? tier : { ...tier, monthly: Number(monthly) }
}
