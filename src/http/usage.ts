import { dayOf, type Endpoint, type UsageCount } from '../domain/usage.ts'

export type UsageReport = { counts: UsageCount[]; lastUsed: Map<string, number> }

/** Counts answers in memory; now and then somebody takes the counts away and keeps them. */
export function createUsageCounter(now: () => number) {
  let counts = new Map<string, UsageCount>()
  let lastUsed = new Map<string, number>()
  /** This month's requests by key that others have kept already. */
  let kept: ReadonlyMap<string, number> = new Map()
  let since = new Map<string, number>()
  let month = monthOf(now())

  /** A new month owes nothing to the last one. */
  function turnMonth(): void {
    if (monthOf(now()) === month) return
    month = monthOf(now())
    kept = new Map()
    since = new Map()
  }

  return {
    count(key: string, endpoint: Endpoint, status: number): void {
      const time = now()
      const day = dayOf(time)
      const name = `${day} ${key} ${endpoint} ${status}`
      const known = counts.get(name)
      if (known) known.count++
      else counts.set(name, { day, key, endpoint, status, count: 1 })
      if (key === '') return
      lastUsed.set(key, time)
      turnMonth()
      // Answers that the caller had already cost nothing, and those that were refused neither.
      if (status !== 304 && status !== 429) since.set(key, (since.get(key) ?? 0) + 1)
    },
    /** All that was counted since it was last asked for. */
    take(): UsageReport {
      const report = { counts: [...counts.values()], lastUsed }
      counts = new Map()
      lastUsed = new Map()
      return report
    },
    usedThisMonth(key: string): number {
      turnMonth()
      return (kept.get(key) ?? 0) + (since.get(key) ?? 0)
    },
    /** What the store knew of this month after all counts taken so far were kept. */
    setMonth(sums: ReadonlyMap<string, number>): void {
      turnMonth()
      kept = sums
      since = new Map()
    },
  }
}

export type UsageCounter = ReturnType<typeof createUsageCounter>

const monthOf = (time: number) => dayOf(time).slice(0, 7)
