import type { ApiKey } from '../domain/api-key.ts'
import { ENDPOINTS, type UsageCount } from '../domain/usage.ts'

/** How the callers without a key are named. */
export const NO_KEY_ID = 'anonymous'

export type Caller = Pick<ApiKey, 'id' | 'name' | 'owner' | 'lastUsedAt'>

export type Totals = { requests: number; errors: number }

const isError = ({ status }: UsageCount) => status >= 400

export function sumUp(counts: readonly UsageCount[]): Totals {
  const sum = (some: readonly UsageCount[]) => some.reduce((total, { count }) => total + count, 0)
  return { requests: sum(counts), errors: sum(counts.filter(isError)) }
}

/** Those who asked most come first. */
export function sumByCaller(counts: readonly UsageCount[], callerOf: (key: string) => Caller) {
  return [...Map.groupBy(counts, ({ key }) => key)]
    .map(([key, some]) => ({ caller: callerOf(key), ...sumUp(some), endpoints: sumByEndpoint(some) }))
    .sort((a, b) => b.requests - a.requests || (a.caller.id < b.caller.id ? -1 : 1))
}

function sumByEndpoint(counts: readonly UsageCount[]): Record<string, number> {
  const groups = Map.groupBy(counts, ({ endpoint }) => endpoint)
  return Object.fromEntries(
    ENDPOINTS.flatMap((endpoint) => {
      const some = groups.get(endpoint)
      return some ? [[endpoint, sumUp(some).requests]] : []
    }),
  )
}

/** In order; days without a request are left out. */
export function sumByDay(counts: readonly UsageCount[]): (Totals & { day: string })[] {
  return [...Map.groupBy(counts, ({ day }) => day)]
    .map(([day, some]) => ({ day, ...sumUp(some) }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

export const DAY = 86_400_000
