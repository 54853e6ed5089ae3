/** Rows by key, with the set of keys that changed after loading. */
export function trackRows<Key, Row>(loaded: Iterable<readonly [Key, Row]> = []) {
  const rows = new Map(loaded)
  const changed = new Set<Key>()
  return {
    get: (key: Key) => rows.get(key),
    entries: () => rows.entries(),
    values: () => rows.values(),
    set(key: Key, row: Row): void {
      rows.set(key, row)
      changed.add(key)
    },
    delete(key: Key): void {
      rows.delete(key)
      changed.add(key)
    },
    changed: () => [...changed],
    removed: () => [...changed].filter((key) => !rows.has(key)),
    written: () => [...rows].filter(([key]) => changed.has(key)),
  }
}

export type TrackedRows<Key, Row> = ReturnType<typeof trackRows<Key, Row>>
