/** A request that was counted, or refused. */
export type Consumed = {
  /** How many more may come in this window; below 0 when this one was refused, and not counted. */
  left: number
  /** Until its window ends. */
  seconds: number
  /** Takes the count back, while its window lasts. */
  refund(): void
}

export type RateCounter = {
  /** Counts a request of `client`, which has `limit` of them in each window of so many seconds. */
  consume(client: string, limit: number, window: number): Consumed | Promise<Consumed>
}

export type FixedWindow = { consume(client: string, limit: number, window: number): Consumed }

/** Room for as many clients at once; 2 to some power. */
const PLACES = 2 ** 17

/** How far from its own place a client is looked for. */
const REACH = 8

/** A place: the client's number, the second in which its window ends, and its window and count, which change at once. */
const WORDS = 4
const END = 1
const STATE = 2

const COUNT_BITS = 20
const COUNT = 2 ** COUNT_BITS - 1
const WINDOW = 2 ** (31 - COUNT_BITS) - 1

export const FIXED_WINDOW_BYTES = PLACES * WORDS * Int32Array.BYTES_PER_ELEMENT

/**
 * Counts in memory, exactly, also where several threads share it. A window is a fixed stretch of time, the same for
 * everybody: when the next one begins, every count starts at 0.
 */
export function createFixedWindow(
  now: () => number,
  memory: Int32Array = new Int32Array(PLACES * WORDS),
): FixedWindow {
  return {
    consume(client, limit, window) {
      const time = now() / 1000
      const turn = Math.floor(time / window)
      const stamp = turn & WINDOW
      // Seconds past 2038 look negative in the memory.
      const end = ((turn + 1) * window) | 0
      const seconds = (turn + 1) * window - Math.floor(time)
      for (;;) {
        const place = findPlace(memory, client, { time, end, stamp })
        const owner = Atomics.load(memory, place)
        const state = Atomics.load(memory, place + STATE)
        const isCurrent = state >>> COUNT_BITS === stamp && Atomics.load(memory, place + END) === end
        const count = isCurrent ? state & COUNT : 0
        if (count >= limit) return { left: -1, seconds, refund: () => undefined }
        // Before the count: whoever sees the new count must see the new end.
        if (!isCurrent) Atomics.store(memory, place + END, end)
        const next = (stamp << COUNT_BITS) | (count + 1)
        const isCounted = Atomics.compareExchange(memory, place + STATE, state, next) === state
        // Another process may have given the place away meanwhile: then it is counted there, and here again.
        if (!isCounted || Atomics.load(memory, place) !== owner) continue
        return {
          left: limit - count - 1,
          seconds,
          refund: () => refund(memory, place, { owner, end, stamp }),
        }
      }
    },
  }
}

type Moment = { time: number; end: number; stamp: number }

/**
 * Where the client's count is: its own place, a free one, or one whose window is over. Where all within reach are in use,
 * it is shared with a client of the same window, which is stricter; failing that, the place that ends first is given up.
 */
function findPlace(memory: Int32Array, client: string, { time, end, stamp }: Moment): number {
  // Two of FNV-1a, the second stirred once more. Bun's hashes take names over from JavaScript, which costs more than this.
  let number = 0x811c9dc5
  let first = 0x9747b28c
  for (let at = 0; at < client.length; at++) {
    const letter = client.charCodeAt(at)
    number = Math.imul(number ^ letter, 0x01000193)
    first = Math.imul(first ^ letter, 0x5bd1e995)
  }
  number = number || 1
  first ^= first >>> 15
  const places = (turn: number) => ((first + turn) & (PLACES - 1)) * WORDS

  for (let turn = 0; turn < REACH; turn++) {
    const place = places(turn)
    const there = Atomics.load(memory, place)
    if (there === number) return place
    if (there === 0 && claim(memory, place, 0, number)) return place
  }
  let shared = -1
  let soonest = places(0)
  for (let turn = 0; turn < REACH; turn++) {
    const place = places(turn)
    const there = Atomics.load(memory, place)
    const ends = Atomics.load(memory, place + END)
    if (ends >>> 0 <= time && claim(memory, place, there, number)) return place
    // Windows of another length may end in the same second.
    if (ends === end && Atomics.load(memory, place + STATE) >>> COUNT_BITS === stamp) shared = place
    if (ends >>> 0 < Atomics.load(memory, soonest + END) >>> 0) soonest = place
  }
  if (shared === -1) claim(memory, soonest, Atomics.load(memory, soonest), number)
  return shared === -1 ? soonest : shared
}

/** Whether the place is the client's now, be it that another process claimed it for the same one. */
function claim(memory: Int32Array, place: number, from: number, number: number): boolean {
  const there = Atomics.compareExchange(memory, place, from, number)
  return there === from || there === number
}

type Count = { owner: number; end: number; stamp: number }

function refund(memory: Int32Array, place: number, { owner, end, stamp }: Count): void {
  for (;;) {
    const state = Atomics.load(memory, place + STATE)
    const isSame =
      Atomics.load(memory, place) === owner &&
      Atomics.load(memory, place + END) === end &&
      state >>> COUNT_BITS === stamp
    if (!isSame || (state & COUNT) === 0) return
    if (Atomics.compareExchange(memory, place + STATE, state, state - 1) === state) return
  }
}
