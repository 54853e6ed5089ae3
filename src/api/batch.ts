const MOST_WAITING = 256

/**
 * Lets what has to be counted wait, and counts many at once: in a row each costs a fraction of what it costs between
 * requests, where the processor has everything else at hand. The items are made once and filled anew.
 */
export function createBatch<T extends object>(empty: T, count: (item: T) => void) {
  const items = Array.from({ length: MOST_WAITING }, () => ({ ...empty }))
  let size = 0

  function flush(): void {
    for (let at = 0; at < size; at++) count(items[at] as T)
    size = 0
  }

  return {
    /** The item to fill next. */
    next(): T {
      if (size === MOST_WAITING) flush()
      return items[size++] as T
    },
    size: () => size,
    /** To be called before the counts are read. */
    flush,
  }
}
