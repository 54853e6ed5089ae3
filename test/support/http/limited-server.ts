import { parseTiers, type Tier } from '../../../src/core/config/rate-limit-tier.ts'
import { createLimiter } from '../../../src/core/http/rate-limit.ts'
import { createRequestCounter } from '../../../src/core/http/request-counter.ts'
import { NOON } from '../store/records.ts'
import { makeKey } from './keys.ts'
import { type Reply, type ServerOptions, serveRecords } from './server.ts'

export const LIST = '/api/v3/passports'

/** A server with these tiers and a fixed clock; X-Forwarded-For sets the client address. */
export async function limited(tiers: string, options: ServerOptions = {}) {
  const clock = { time: NOON }
  const now = () => clock.time
  const usage = createRequestCounter(now)
  const limiter = createLimiter({
    tiers: tiers === '' ? [] : (parseTiers(tiers) as readonly Tier[]),
    now,
    isQuotaUsed: usage.isQuotaUsed,
  })
  const server = await serveRecords({
    now,
    limiter,
    counter: usage,
    trustedProxies: ['127.0.0.1'],
    ...options,
  })
  const from = (address: string, more: Record<string, string> = {}) => ({
    headers: { 'X-Forwarded-For': address, ...more },
  })
  return {
    ...server,
    clock,
    usage,
    /** Sends a request without a key from this client address. */
    anonymous: (path = LIST, address = '192.0.2.1', more = {}) => server.get(path, from(address, more)),
    with: (key: string, path = LIST, more = {}) =>
      server.get(path, from('192.0.2.1', { 'X-API-KEY': key, ...more })),
    makeKey: async (seed: number, tier: string) => (await makeKey(server.store, seed, { tier })).key,
  }
}

/** Status and rate-limit headers. */
export const fields = ({ status, headers }: Reply) => [
  status,
  headers.get('RateLimit-Policy'),
  headers.get('RateLimit'),
  headers.get('Retry-After'),
]
