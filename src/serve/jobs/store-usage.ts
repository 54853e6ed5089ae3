import { setTimeout as sleep } from 'node:timers/promises'
import type { UsageReport } from '../../api/usage.ts'
import { count } from '../../domain/text/counts-and-sizes.ts'
import { addCounts, type UsageCount } from '../../domain/usage.ts'
import type { Log } from '../../log.ts'
import type { Awaitable, Store } from '../../store/store.ts'
import type { Job } from './supervise.ts'

const INTERVAL_MILLISECONDS = 500

/** During a shutdown, storing the usage counts is retried for this long. */
const LAST_ATTEMPTS_MILLISECONDS = 5000

/** Stores usage counts. While the store is unavailable, they stay in the buffer. */
export const storeUsage = (store: Store, usage: ReturnType<typeof createUsageBuffer>, log: Log): Job => ({
  name: 'Usage counts cannot be stored yet',
  interval: INTERVAL_MILLISECONDS,
  run: () => usage.flush(({ counts, lastUsed, inBrowser }) => store.usage.add(counts, lastUsed, inBrowser)),
  async end(attempt) {
    const deadline = performance.now() + LAST_ATTEMPTS_MILLISECONDS
    await attempt()
    while (usage.size() > 0 && performance.now() < deadline) {
      await sleep(INTERVAL_MILLISECONDS)
      await attempt()
    }
    usage.logLost(log)
  },
})

/** Buffers usage counts. Counts of the same day, key, endpoint and status are added up, which bounds the size. */
export function createUsageBuffer() {
  let counts = new Map<string, UsageCount>()
  let lastUsed = new Map<string, number>()
  let inBrowser = new Set<string>()

  function push(report: UsageReport): void {
    addCounts(counts, report.counts)
    for (const [key, time] of report.lastUsed) lastUsed.set(key, Math.max(lastUsed.get(key) ?? 0, time))
    for (const key of report.inBrowser) inBrowser.add(key)
  }

  const size = () => [...counts.values()].reduce((sum, { count }) => sum + count, 0)

  return {
    push,
    size,
    /** If `add` fails, the counts stay in the buffer. */
    async flush(add: (report: UsageReport) => Awaitable<void>): Promise<void> {
      if (counts.size === 0) return
      const report = { counts: [...counts.values()], lastUsed, inBrowser }
      counts = new Map()
      lastUsed = new Map()
      inBrowser = new Set()
      try {
        await add(report)
      } catch (error) {
        push(report)
        throw error
      }
    },
    logLost(log: Log): void {
      if (size() > 0) log.error(`The usage counts of ${count(size(), 'request')} are lost.`)
    },
  }
}
