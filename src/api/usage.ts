import { dayOf, type Endpoint, type UsageCount } from '../domain/usage.ts'

export type UsageReport = { counts: UsageCount[]; lastUsed: Map<string, number> }

/** Counts answers in memory; now and then somebody takes the counts away and keeps them. */
export function createUsageCounter(now: () => number) {
  let today = dayOf(now())
  let counts: UsageCount[] = []
  /** Today's counts by key, endpoint and status: three lookups cost less than making one name of them. */
  let places = new Map<string, Map<Endpoint, Map<number, UsageCount>>>()
  let lastUsed = new Map<string, number>()
  /** This month's requests by key that others have kept already. */
  let kept = new Map<string, number>()
  let since = new Map<string, number>()

  /** A new day has counts of its own, and a new month owes nothing to the last one. */
  function turnDay(time: number): void {
    const day = dayOf(time)
    if (day === today) return
    const isSameMonth = monthOf(day) === monthOf(today)
    today = day
    places = new Map()
    if (isSameMonth) return
    kept = new Map()
    since = new Map()
  }

  const sumOf = (key: string) => (kept.get(key) ?? 0) + (since.get(key) ?? 0)

  function place(key: string, endpoint: Endpoint, status: number): UsageCount {
    let byEndpoint = places.get(key)
    if (!byEndpoint) {
      byEndpoint = new Map()
      places.set(key, byEndpoint)
    }
    let byStatus = byEndpoint.get(endpoint)
    if (!byStatus) {
      byStatus = new Map()
      byEndpoint.set(endpoint, byStatus)
    }
    let found = byStatus.get(status)
    if (!found) {
      found = { day: today, key, endpoint, status, count: 0 }
      byStatus.set(status, found)
      counts.push(found)
    }
    return found
  }

  return {
    count(key: string, endpoint: Endpoint, status: number, time = now()): void {
      turnDay(time)
      place(key, endpoint, status).count++
      if (key === '') return
      lastUsed.set(key, time)
      // Neither 304 nor 429 counts on the monthly quota.
      if (status !== 304 && status !== 429) since.set(key, (since.get(key) ?? 0) + 1)
    },
    /** All that was counted since it was last asked for. */
    take(): UsageReport {
      const report = { counts, lastUsed }
      counts = []
      places = new Map()
      lastUsed = new Map()
      return report
    },
    /** Whether the key has had all of its requests of this month, as far as is known here. */
    isSpent(key: string, quota: number): boolean {
      turnDay(now())
      return sumOf(key) >= quota
    },
    /** What the store knew of a month when it was asked, on this day. */
    setMonth(sums: ReadonlyMap<string, number>, day: string): void {
      turnDay(now())
      // The answer took longer than the month: callers would be told to wait for the end of the next.
      if (monthOf(day) !== monthOf(today)) return
      // Counts that wait to be kept are not in the sums: what is known here already is the least there were.
      const least = [...kept.keys(), ...since.keys()].map((key) => [key, sumOf(key)] as const)
      kept = new Map(sums)
      since = new Map()
      for (const [key, count] of least) if (count > sumOf(key)) kept.set(key, count)
    },
  }
}

const monthOf = (day: string) => day.slice(0, 7)

export type UsageCounter = ReturnType<typeof createUsageCounter>
