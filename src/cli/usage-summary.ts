import type { ApiKey } from '../domain/api-key.ts'
import type { UsageCount } from '../domain/usage.ts'

export const NO_KEY_ID = 'anonymous'

export type Client = Pick<ApiKey, 'id' | 'name' | 'owner' | 'lastUsedAt'>

export type Totals = { requests: number; errors: number }

const isError = ({ status }: UsageCount) => status >= 400

export function sumUp(counts: readonly UsageCount[]): Totals {
  const sum = (some: readonly UsageCount[]) => some.reduce((total, { count }) => total + count, 0)
  return { requests: sum(counts), errors: sum(counts.filter(isError)) }
}

/** Most requests first. */
export function sumByClient(counts: readonly UsageCount[], clientOf: (key: string) => Client) {
  return [...Map.groupBy(counts, ({ key }) => key)]
    .map(([key, some]) => ({ client: clientOf(key), ...sumUp(some), endpoints: sumByEndpoint(some) }))
    .sort((a, b) => b.requests - a.requests || (a.client.id < b.client.id ? -1 : 1))
}

/** In the order of the names. */
function sumByEndpoint(counts: readonly UsageCount[]): Record<string, number> {
  const groups = [...Map.groupBy(counts, ({ endpoint }) => endpoint)].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(groups.map(([endpoint, some]) => [endpoint, sumUp(some).requests]))
}

/** In order of days, without days that have no requests. */
export function sumByDay(counts: readonly UsageCount[]): (Totals & { day: string })[] {
  return [...Map.groupBy(counts, ({ day }) => day)]
    .map(([day, some]) => ({ day, ...sumUp(some) }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

export const DAY = 86_400_000
