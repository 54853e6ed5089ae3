import type { ApiKey } from '../domain/api-key.ts'
import { ENDPOINTS, type Endpoint, type UsageCount } from '../domain/usage.ts'

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
