import type { UsageReport } from '../api/usage.ts'
import { addCounts, type UsageCount } from '../domain/usage.ts'
import type { Store } from '../store/store.ts'

/** Buffers usage counts for the store. Counts of the same day, key, endpoint and status are added up, which bounds the size. */
export function createUsageBuffer() {
  let counts = new Map<string, UsageCount>()
  let lastUsed = new Map<string, number>()

  function push(report: UsageReport): void {
    addCounts(counts, report.counts)
    for (const [key, time] of report.lastUsed) lastUsed.set(key, Math.max(lastUsed.get(key) ?? 0, time))
  }

  return {
    push,
    /** If storing fails, the counts stay in the buffer. */
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
    size: () => [...counts.values()].reduce((sum, { count }) => sum + count, 0),
  }
}
