const MOST_WAITING = 256

/**
 * Lets what has to be counted wait, and counts many at once: in a row each costs a fraction of what it costs between
 * requests, where the processor has everything else at hand.
 */
export function createBatch<T>(count: (item: T) => void) {
  const waiting: T[] = []

  function flush(): void {
    for (const item of waiting) count(item)
    waiting.length = 0
  }

  return {
    add(item: T): void {
      waiting.push(item)
      if (waiting.length === MOST_WAITING) flush()
    },
    size: () => waiting.length,
    /** To be called before the counts are read. */
    flush,
  }
}
