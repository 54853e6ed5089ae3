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
  let sum = 0

  return {
    set(holder: Holder, bytes: number): void {
      const before = sizes.get(holder) ?? 0
      sum += bytes - before
      // Who sends more gets no better place by it: only who takes something does.
      if (bytes < before) sizes.delete(holder)
      if (bytes > 0) sizes.set(holder, bytes)
      for (const slowest of sizes.keys()) {
        // One alone may have more: an answer may be larger than that.
        if (sum <= most || sizes.size === 1) break
        slowest.abort()
      }
    },
  }
}

export type Holdings = ReturnType<typeof createHoldings>
