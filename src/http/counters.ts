/** What was left after a request was counted; below 0 where it was one too many, and was not counted. */
export type Counters = {
  take(caller: string, limit: number, window: number): number | Promise<number>
  /** Takes back a count of the present window. */
  giveBack(caller: string, window: number): void
}

/** Room for as many callers at once, eight bytes each; 2 to some power. */
const PLACES = 2 ** 17

/** How far from its own place a caller is looked for. */
const REACH = 8

/** A place is the caller's number, and its window and count in one number, so that both change at once. */
const COUNT_BITS = 20
const COUNT = 2 ** COUNT_BITS - 1
const WINDOW = 2 ** (31 - COUNT_BITS) - 1

export const COUNTERS_BYTES = PLACES * 8

/**
 * Counts in memory, exactly, also where several processes share it. A window is a fixed stretch of time, the same for
 * everybody: when the next one begins, a count begins anew.
 */
export function createCounters(now: () => number, memory: Int32Array = new Int32Array(PLACES * 2)): Counters {
  const windowAt = (window: number) => Math.floor(now() / (window * 1000)) & WINDOW

  /** Where the caller's count is. With more callers than places, some share one. */
  function find(caller: string, current: number): number {
    const hash = Bun.hash.wyhash(caller)
    const number = Number(hash & 0x7fffffffn) || 1
    const first = Number(hash >> 32n) & (PLACES - 1)
    for (let turn = 0; turn < REACH; turn++) {
      const place = ((first + turn) & (PLACES - 1)) * 2
      const there = Atomics.load(memory, place)
      if (there === number) return place + 1
      if (there === 0 && Atomics.compareExchange(memory, place, 0, number) === 0) return place + 1
      if (Atomics.load(memory, place) === number) return place + 1
    }
    for (let turn = 0; turn < REACH; turn++) {
      const place = ((first + turn) & (PLACES - 1)) * 2
      const there = Atomics.load(memory, place)
      const isOld = Atomics.load(memory, place + 1) >>> COUNT_BITS !== current
      if (isOld && Atomics.compareExchange(memory, place, there, number) === there) return place + 1
    }
    return first * 2 + 1
  }

  return {
    take(caller, limit, window) {
      const current = windowAt(window)
      const at = find(caller, current)
      for (;;) {
        const state = Atomics.load(memory, at)
        const isCurrent = state >>> COUNT_BITS === current
        const count = isCurrent ? state & COUNT : 0
        if (count >= limit) return -1
        const next = (current << COUNT_BITS) | (count + 1)
        if (Atomics.compareExchange(memory, at, state, next) === state) return limit - count - 1
      }
    },
    giveBack(caller, window) {
      const current = windowAt(window)
      const at = find(caller, current)
      const state = Atomics.load(memory, at)
      if (state >>> COUNT_BITS !== current || (state & COUNT) === 0) return
      // If others count meanwhile it is not worth a second try.
      Atomics.compareExchange(memory, at, state, state - 1)
    },
  }
}
