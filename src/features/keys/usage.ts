/** The endpoint names of v3 have this prefix; those of V1 have none. */
export const isV3 = (endpoint: string): boolean => endpoint.startsWith('v3_')

/** Responses per day, key, endpoint and status. */
export type UsageCount = {
  /** In UTC: 2026-01-31. */
  day: string
  /** The id of the key; empty for clients without a key. */
  key: string
  /** The name of the route. */
  endpoint: string
  status: number
  count: number
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
