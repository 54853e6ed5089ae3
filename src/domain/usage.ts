export const ENDPOINTS = ['list', 'passport', 'credentials', 'other'] as const

/** What of V1 was asked for; `other` is a path that is not there. */
export type Endpoint = (typeof ENDPOINTS)[number]

/** How often one caller got one answer on one day. */
export type UsageCount = {
  /** In UTC: 2026-01-31. */
  day: string
  /** The id of the key; empty for callers without one. */
  key: string
  endpoint: Endpoint
  status: number
  count: number
}

/** Adds counts to those that wait under the same name. */
export function addCounts(waiting: Map<string, UsageCount>, counts: readonly UsageCount[]): void {
  for (const one of counts) {
    const name = `${one.day} ${one.key} ${one.endpoint} ${one.status}`
    const known = waiting.get(name)
    if (known) known.count += one.count
    else waiting.set(name, { ...one })
  }
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
