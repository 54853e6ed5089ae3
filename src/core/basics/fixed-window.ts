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
  /**
   * Counts `units` requests of `client`, which may send `limit` requests per window of `window` seconds. -1 takes one
   * back.
   */
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
