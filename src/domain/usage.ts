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

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
