import type { UsageReport } from '../api/usage.ts'
import { addCounts, type UsageCount } from '../domain/usage.ts'
import type { Store } from '../store/store.ts'

/** Counts on their way to the store. Those of a kind become one: they never take more room than a day's counts do. */
export function createUsageBuffer() {
  let counts = new Map<string, UsageCount>()
  let lastUsed = new Map<string, number>()

  function push(report: UsageReport): void {
    addCounts(counts, report.counts)
    for (const [key, time] of report.lastUsed) lastUsed.set(key, Math.max(lastUsed.get(key) ?? 0, time))
  }

  return {
    push,
    /** Where that fails, everything waits for the next time. */
    async store({ usage }: Pick<Store, 'usage'>): Promise<void> {
      if (counts.size === 0) return
      const report = { counts: [...counts.values()], lastUsed }
      counts = new Map()
      lastUsed = new Map()
      try {
        await usage.add(report.counts, report.lastUsed)
      } catch (error) {
        push(report)
        throw error
      }
    },
    /** How many requests wait. */
    size: () => [...counts.values()].reduce((sum, { count }) => sum + count, 0),
  }
}
