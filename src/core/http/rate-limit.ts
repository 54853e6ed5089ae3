import { ServiceError } from '../basics/errors.ts'
import { ANONYMOUS, DEFAULT_TIERS, type Tier } from '../config/rate-limit-tier.ts'
import type { ApiKey } from '../store/api-key.ts'
import { type Client, clientOf } from './client-identity.ts'

const WRONG_KEYS: Tier = { name: 'wrong-keys', requests: 60, window: 60 }

/** Challenges and signatures. They are counted by address only, so that nobody can use up the proofs of another person. */
const PROOFS: Tier = { name: 'wallet-proofs', requests: 30, window: 60 }

/** Each change is an event for everybody who follows the log. */
const HIDINGS: Tier = { name: 'hidings', requests: 6, window: 24 * 3600 }

/** Each change is an entry of the audit log. */
const WEBHOOK_CHANGES: Tier = { name: 'webhook-changes', requests: 100, window: 3600 }

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

  function consumeFixed(tier: Tier, what: string, client: string): void {
    const { requests, window } = tier
    const { remaining, seconds } = counter.consume(client, requests, window)
    if (remaining < 0) throw rateLimited(`${requests} ${what} in ${window} s`, tier, seconds)
  }

  return {
    /** `undefined` if the surface has no limit. */
    tierOf({ usesKeys, tier }: LimitedSurface, key: ApiKey | undefined): Tier | undefined {
      if (tier !== undefined) return byName.get(tier)
      return usesKeys && (byName.get(key?.tier ?? ANONYMOUS) ?? fallback)
    },

    /** Counts the request for its client. Tiers without a limit are not counted. */
    consume(tier: Tier, client: Client, units = 1) {
      checkMonth(tier, client.key)
      if (tier.requests === Number.POSITIVE_INFINITY) return undefined
      return counter.consume(`${tier.name} ${clientOf(client)}`, tier.requests, tier.window, units)
    },

    /** Counts a wrong key; throws `rate_limited` after too many from this address. */
    consumeWrongKey: (address: string) => consumeFixed(WRONG_KEYS, 'wrong keys', `wrong ${address}`),

    /** Counts a proof of a wallet; throws `rate_limited` after too many from this address. */
    consumeProof: (address: string) => consumeFixed(PROOFS, 'proofs', `proof ${address}`),

    /** Counts a change of what others see of a passport; throws `rate_limited` after too many. */
    consumeHiding: (id: number) => consumeFixed(HIDINGS, 'changes', `hiding ${id}`),

    /** Counts a change of the webhooks of a key; throws `rate_limited` after too many. */
    consumeWebhookChange: (keyId: string) =>
      consumeFixed(WEBHOOK_CHANGES, 'changes of webhooks', `webhook ${keyId}`),
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

/** Either clients can send a key, or all clients have the same tier. */
export type LimitedSurface = { usesKeys?: true; tier?: string }

/** The fields of an exchange that `charge` reads and changes. */
export type ChargedExchange = Client & {
  tier: Tier | undefined
  /** `undefined` if the tier has no limit. */
  consumed: RateLimitResult | undefined
  /** The request counts as this many requests. */
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

/** The value of the header `RateLimit`. */
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

export type RateLimitResult = {
  /** Requests that remain in this window. -1: the request is over the limit and was not counted. */
  remaining: number
  seconds: number
  /**
   * Uncounts the request unless its window has ended. Returns false if the client has no refunds left. Each window
   * allows `REFUND_FACTOR` times as many refunds as requests.
   */
  refund(): boolean
}

const REFUND_FACTOR = 10

/** Slots of the hash table, one for each client in the current window. A power of 2. */
const SLOTS = 2 ** 17

/** Slots to probe for a client (linear probing). */
const PROBES = 8

/** The words of a slot: the client's hash, the end of its window in seconds, and the window's stamp with the count. */
const WORDS = 3
const END = 1
const STATE = 2

/** Random words at the end of the memory: start values of the hashes, so that no client can choose its slot. */
const SEED = SLOTS * WORDS
const SEED_WORDS = 2

const COUNT_BITS = 20
const COUNT = 2 ** COUNT_BITS - 1
const WINDOW = 2 ** (31 - COUNT_BITS) - 1

/** Creates the memory of `createFixedWindow`. Several threads can share it. */
export function createWindowMemory(): Int32Array<SharedArrayBuffer> {
  const memory = new Int32Array(new SharedArrayBuffer((SEED + SEED_WORDS) * Int32Array.BYTES_PER_ELEMENT))
  memory.set(crypto.getRandomValues(new Int32Array(SEED_WORDS)), SEED)
  return memory
}

/**
 * Counts exactly, also in memory that several threads share. Windows are aligned to the clock and the same for all
 * clients: at the start of a window every count is 0.
 */
export function createFixedWindow(now: () => number, memory: Int32Array = createWindowMemory()) {
  /** Counts `units` requests of `client`, which may send `limit` requests per window of `window` seconds. -1 takes one back. */
  function consume(client: string, limit: number, window: number, units = 1): RateLimitResult {
    const time = now() / 1000
    const index = Math.floor(time / window)
    const stamp = index & WINDOW
    // An Int32Array stores seconds after 2038 as negative numbers.
    const end = ((index + 1) * window) | 0
    const seconds = (index + 1) * window - Math.floor(time)
    for (;;) {
      const slot = findSlot(memory, client, { time, end, stamp })
      const owner = Atomics.load(memory, slot)
      const state = Atomics.load(memory, slot + STATE)
      const isCurrent = state >>> COUNT_BITS === stamp && Atomics.load(memory, slot + END) === end
      const count = Math.max(0, (isCurrent ? state & COUNT : 0) + units)
      if (count > limit) return { remaining: -1, seconds, refund: () => false }
      // The end is stored before the count, so that a thread that reads the new count also reads the new end.
      if (!isCurrent) Atomics.store(memory, slot + END, end)
      const next = (stamp << COUNT_BITS) | count
      const isCounted = Atomics.compareExchange(memory, slot + STATE, state, next) === state
      // Another thread may have evicted the client meanwhile: count again in the new slot.
      if (!isCounted || Atomics.load(memory, slot) !== owner) continue
      return { remaining: limit - count, seconds, refund: () => refund(client, limit, window, index) }
    }
  }

  function refund(client: string, limit: number, window: number, index: number): boolean {
    const most = Math.min(REFUND_FACTOR * limit, COUNT)
    if (consume(`free ${client}`, most, window).remaining < 0) return false
    if (Math.floor(now() / 1000 / window) === index) consume(client, limit, window, -1)
    return true
  }

  return { consume }
}

type Window = { time: number; end: number; stamp: number }

/**
 * The slot of the client: its own, a free one, or an expired one. If all probed slots are in use, the client shares the
 * slot of another client in the same window (stricter for both), or else evicts the slot that expires first.
 */
function findSlot(memory: Int32Array, client: string, { time, end, stamp }: Window): number {
  // Two FNV-1a hashes in JavaScript: passing the string to Bun's native hash costs more.
  let hash = memory[SEED] as number
  let start = memory[SEED + 1] as number
  for (let at = 0; at < client.length; at++) {
    const code = client.charCodeAt(at)
    hash = Math.imul(hash ^ code, 0x01000193)
    start = Math.imul(start ^ code, 0x5bd1e995)
  }
  hash = hash || 1
  start ^= start >>> 15
  const slotAt = (probe: number) => ((start + probe) & (SLOTS - 1)) * WORDS

  for (let probe = 0; probe < PROBES; probe++) {
    const slot = slotAt(probe)
    const owner = Atomics.load(memory, slot)
    if (owner === hash) return slot
    if (owner === 0 && claim(memory, slot, 0, hash)) return slot
  }
  let shared = -1
  let soonest = slotAt(0)
  for (let probe = 0; probe < PROBES; probe++) {
    const slot = slotAt(probe)
    const owner = Atomics.load(memory, slot)
    const ends = Atomics.load(memory, slot + END)
    if (ends >>> 0 <= time && claim(memory, slot, owner, hash)) return slot
    // The stamps are compared too, because windows of another length may end in the same second.
    if (ends === end && Atomics.load(memory, slot + STATE) >>> COUNT_BITS === stamp) shared = slot
    if (ends >>> 0 < Atomics.load(memory, soonest + END) >>> 0) soonest = slot
  }
  if (shared === -1) claim(memory, soonest, Atomics.load(memory, soonest), hash)
  return shared === -1 ? soonest : shared
}

/** Returns true also if another thread claimed the slot for the same client. */
function claim(memory: Int32Array, slot: number, from: number, hash: number): boolean {
  const before = Atomics.compareExchange(memory, slot, from, hash)
  return before === from || before === hash
}
