/** Keeps so many by their names; where there are more, the one that was kept longest ago goes. */
export function createRecent<T>(most: number) {
  const kept = new Map<string, T>()
  return {
    find: (name: string): T | undefined => kept.get(name),
    keep(name: string, item: T): void {
      kept.delete(name)
      kept.set(name, item)
      const [oldest] = kept.keys()
      if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    },
    forget: (name: string): boolean => kept.delete(name),
  }
}
