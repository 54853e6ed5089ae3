import { dayOf } from '../basics/text/instant.ts'
import { createHistogram, type Family, type Histogram, type Labels } from './prometheus-text.ts'
import type { Context } from './route.ts'

export type UsageCount = {
  /** In UTC: 2026-01-31. */
  day: string
  /** The id of the key; empty for clients without a key. */
  key: string
  endpoint: string
  status: number
  count: number
}

type UsageReport = {
  counts: UsageCount[]
  lastUsed: Map<string, number>
  /** The ids of secret keys that were sent from pages. */
  inBrowser: Set<string>
}

/** The requests of a key in this month: the sum that was read from the store, and those counted since. */
type Month = { stored: number; since: number }

/** What a response adds to. `usage` is taken every few seconds, the rest is never reset. */
type Entry = {
  usage: UsageCount | undefined
  month: Month | undefined
  requests: { labels: Labels; value: number }
  seconds: Histogram
}

type CountedRequest = Pick<Context, 'route' | 'principal' | 'tier' | 'time' | 'units' | 'isFree'>

/** Bucket bounds in seconds. */
const BOUNDS = [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export const tierNameOf = ({ tier }: Pick<Context, 'tier'>) => tier?.name ?? 'none'

/** Counts responses in memory, for metrics, usage and monthly quotas. No label takes values from untrusted input. */
export function createRequestCounter(now: () => number) {
  const entries = new Map<string, Entry>()
  const parts = {
    days: createDays(now, () => entries.clear()),
    usage: createUsage(),
    metrics: createMetrics(),
  }
  const { days, usage, metrics } = parts
  return {
    ...{ noteInBrowser: usage.noteInBrowser, putBack: usage.putBack, size: usage.size },
    ...{ isQuotaUsed: days.isQuotaUsed, setMonth: days.setMonth },
    ...{ addRoute: metrics.addRoute, readMetrics: metrics.read },
    /** Counts a response. For usage, a request that costs several units counts as that many requests. */
    count(request: CountedRequest, status: number, seconds: number): void {
      const { route, principal, time, units, isFree } = request
      days.start(time)
      const key = `${route.name} ${status} ${isFree} ${principal.id} ${tierNameOf(request)}`
      const entry = entries.getOrInsertComputed(key, () => createEntry(parts, request, status))
      entry.requests.value++
      entry.seconds.observe(seconds)
      if (entry.usage) entry.usage.count += units
      if (entry.month) entry.month.since += units
      if (principal.id !== '') usage.noteUse(principal.id, time)
    },
    take(): UsageReport {
      entries.clear()
      return usage.take()
    },
  }
}

export type RequestCounter = ReturnType<typeof createRequestCounter>

type Parts = { days: Days; usage: Usage; metrics: Metrics }

function createEntry({ days, usage, metrics }: Parts, request: CountedRequest, status: number): Entry {
  const { route, principal, isFree } = request
  const { id } = principal
  // The monthly quota ignores 304s, so a 304 that is not free is counted as a 200.
  const usageStatus = status === 304 && !isFree ? 200 : status
  // Responses with 304 or 429 do not count for the monthly quota.
  const isOfQuota = id !== '' && usageStatus !== 304 && usageStatus !== 429
  const row = { day: days.today(), key: id, endpoint: route.name, status: usageStatus, count: 0 }
  return {
    usage: route.surface.usesKeys && usage.add(row),
    month: isOfQuota ? days.monthOf(id) : undefined,
    requests: metrics.requestsOf({ route: route.name, status: String(status), tier: tierNameOf(request) }),
    seconds: metrics.addRoute(route.name),
  }
}

type Metrics = ReturnType<typeof createMetrics>

function createMetrics() {
  const requests = new Map<string, Entry['requests']>()
  const routes = new Map<string, Histogram>()
  return {
    /** Returns the histogram of a route, which is exposed from now on. */
    addRoute: (name: string) => routes.getOrInsertComputed(name, () => createHistogram(BOUNDS)),
    requestsOf: (labels: Labels) =>
      requests.getOrInsertComputed(JSON.stringify(labels), () => ({ labels, value: 0 })),
    read: (): Family[] => [
      {
        name: 'passportd_requests_total',
        help: 'Responses by route, status and tier of the client.',
        type: 'counter',
        samples: [...requests.values()].map((sample) => ({ ...sample })),
      },
      {
        name: 'passportd_request_seconds',
        help: 'Time from request to response.',
        type: 'histogram',
        samples: [...routes].map(([route, { read }]) => ({ labels: { route }, ...read() })),
      },
    ],
  }
}

type Usage = ReturnType<typeof createUsage>

/** The usage that is not taken yet. */
function createUsage() {
  let counts = new Map<string, UsageCount>()
  let lastUsed = new Map<string, number>()
  let inBrowser = new Set<string>()

  function add(count: UsageCount): UsageCount {
    const row = counts.getOrInsert(`${count.day} ${count.key} ${count.endpoint} ${count.status}`, count)
    if (row !== count) row.count += count.count
    return row
  }

  return {
    add,
    noteUse: (keyId: string, time: number) => void lastUsed.set(keyId, time),
    /** The response to this request must be counted too. */
    noteInBrowser: (keyId: string) => void inBrowser.add(keyId),
    take(): UsageReport {
      const report = { counts: [...counts.values()], lastUsed, inBrowser }
      counts = new Map()
      lastUsed = new Map()
      inBrowser = new Set()
      return report
    },
    /** Adds usage that was taken and could not be stored. */
    putBack(report: UsageReport): void {
      for (const count of report.counts) add(count)
      lastUsed = new Map([...report.lastUsed, ...lastUsed])
      inBrowser = report.inBrowser.union(inBrowser)
    },
    size: () => [...counts.values()].reduce((sum, { count }) => sum + count, 0),
  }
}

const DAY_MILLISECONDS = 86_400_000

type Days = ReturnType<typeof createDays>

/** The current day, and the requests of each key in its month. */
function createDays(now: () => number, onNewDay: () => void) {
  let months = new Map<string, Month>()
  let today = dayOf(now())
  let midnight = Date.parse(today)
  const monthOf = (keyId: string) => months.getOrInsertComputed(keyId, () => ({ stored: 0, since: 0 }))

  function start(time: number): void {
    if (time >= midnight && time < midnight + DAY_MILLISECONDS) return
    const day = dayOf(time)
    if (!isSameMonth(day, today)) months = new Map()
    today = day
    midnight = Date.parse(day)
    onNewDay()
  }

  return {
    start,
    today: () => today,
    monthOf,
    isQuotaUsed(keyId: string, quota: number): boolean {
      start(now())
      return sumOfMonth(months.get(keyId)) >= quota
    },
    /** `sums` are the monthly sums that were read from the store on `day`. Ignores those of another month. */
    setMonth(sums: ReadonlyMap<string, number>, day: string): void {
      start(now())
      // Sums of the previous month would count against the quota of this month.
      if (!isSameMonth(day, today)) return
      for (const keyId of sums.keys()) monthOf(keyId)
      // The larger sum is kept, because stored sums do not include counts that are still in memory.
      for (const [keyId, month] of months)
        Object.assign(month, { stored: Math.max(sumOfMonth(month), sums.get(keyId) ?? 0), since: 0 })
    },
  }
}

const sumOfMonth = (month: Month | undefined) => (month ? month.stored + month.since : 0)

const isSameMonth = (day: string, otherDay: string) => day.slice(0, 7) === otherDay.slice(0, 7)
