/** Who keeps bytes in memory for a caller that is slow. */
export type Holder = {
  /** Lets go of all of them, and of the caller. */
  abort(): void
}

/** For all connections together; in bytes. Pages of the usual size for a thousand callers that do not take them. */
export const MOST_HELD = 64 * 1024 * 1024

/** Counts what is kept for slow callers. Where it becomes too much, those go that have taken nothing for the longest. */
export function createHoldings(most: number) {
  /** The slowest first. */
  const sizes = new Map<Holder, number>()
  /** One alone may have more than all others together, and is not counted: an answer may be larger than that. */
  let giant: Holder | undefined
  /** Of all but that one. */
  let sum = 0

  function count(holder: Holder, before: number, bytes: number): void {
    if (holder !== giant && bytes > most) {
      giant?.abort()
      giant = holder
      sum -= before
    } else if (holder !== giant) {
      sum += bytes - before
    } else if (bytes === 0) {
      giant = undefined
    }
  }

  return {
    set(holder: Holder, bytes: number): void {
      const before = sizes.get(holder) ?? 0
      count(holder, before, bytes)
      // Who sends more gets no better place by it: only who takes something does.
      if (bytes < before) sizes.delete(holder)
      if (bytes > 0) sizes.set(holder, bytes)
      for (const slowest of sizes.keys()) {
        if (sum <= most) break
        if (slowest !== giant) slowest.abort()
      }
    },
  }
}

export type Holdings = ReturnType<typeof createHoldings>
