import type { ApiKey } from '../domain/api-key.ts'
import { dayOf, ENDPOINTS, type Endpoint, type UsageCount } from '../domain/usage.ts'

/** How the callers without a key are named. */
export const NO_KEY_ID = 'anonymous'

export type Caller = Pick<ApiKey, 'id' | 'name' | 'owner' | 'lastUsedAt'>

export type Totals = { requests: number; errors: number }

export type CallerUsage = Caller & Totals & { endpoints: Partial<Record<Endpoint, number>> }

const isError = ({ status }: UsageCount) => status >= 400

export function sumUp(counts: readonly UsageCount[]): Totals {
  const sum = (some: readonly UsageCount[]) => some.reduce((total, { count }) => total + count, 0)
  return { requests: sum(counts), errors: sum(counts.filter(isError)) }
}

/** Those who asked most come first. */
export function sumByCaller(counts: readonly UsageCount[], callerOf: (key: string) => Caller): CallerUsage[] {
  return [...Map.groupBy(counts, ({ key }) => key)]
    .map(([key, some]) => ({ ...callerOf(key), ...sumUp(some), endpoints: sumByEndpoint(some) }))
    .sort((a, b) => b.requests - a.requests || (a.id < b.id ? -1 : 1))
}

function sumByEndpoint(counts: readonly UsageCount[]): Partial<Record<Endpoint, number>> {
  const groups = Map.groupBy(counts, ({ endpoint }) => endpoint)
  return Object.fromEntries(
    ENDPOINTS.filter((endpoint) => groups.has(endpoint)).map((endpoint) => [
      endpoint,
      sumUp(groups.get(endpoint) ?? []).requests,
    ]),
  )
}

/** In order; days without a request are left out. */
export function sumByDay(counts: readonly UsageCount[]): (Totals & { day: string })[] {
  return [...Map.groupBy(counts, ({ day }) => day)]
    .map(([day, some]) => ({ day, ...sumUp(some) }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

export const DAY = 86_400_000

/** Each day of the span, also those without a request. */
export function everyDay({ since, until }: { since: string; until: string }, counts: readonly UsageCount[]) {
  const sums = new Map(sumByDay(counts).map(({ day, requests }) => [day, requests]))
  const [first, last] = [Date.parse(since), Date.parse(until)]
  return Array.from({ length: (last - first) / DAY + 1 }, (_, at) => {
    const day = dayOf(first + at * DAY)
    return { day, count: sums.get(day) ?? 0 }
  })
}
