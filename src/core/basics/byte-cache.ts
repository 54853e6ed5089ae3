/** An LRU cache with a limit on the size of its values. A value above the limit is not kept and evicts nothing. */
export function createByteCache<Value>(mostBytes: number) {
  const entries = new Map<string, { value: Value; bytes: number }>()
  let kept = 0

  function keep(key: string, made: { value: Value; bytes: number }) {
    const entry = { value: made.value, bytes: made.bytes + 2 * key.length + 200 }
    if (entry.bytes > mostBytes) return entry
    entries.set(key, entry)
    kept += entry.bytes
    for (const [oldest, { bytes }] of entries) {
      if (kept <= mostBytes) break
      entries.delete(oldest)
      kept -= bytes
    }
    return entry
  }

  function find(key: string): Value | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    // The entry moves to the end, because eviction begins with the first one.
    entries.delete(key)
    entries.set(key, entry)
    return entry.value
  }

  return {
    find,
    getOrAdd: (key: string, make: () => { value: Value; bytes: number }): Value =>
      find(key) ?? keep(key, make()).value,
    clear(): void {
      entries.clear()
      kept = 0
    },
  }
}
