export const ENDPOINTS = [
  'list',
  'passport',
  'credentials',
  'other',
  'v2_list',
  'v2_passport',
  'v2_credentials',
  'v2_other',
  'v3_passport',
  'v3_lookup',
  'v3_list',
  'v3_events',
  'v3_diff',
  'v3_rules',
  'v3_other',
] as const

/** An endpoint of V1, or of another version by its prefix; `other` is an unknown path. */
export type Endpoint = (typeof ENDPOINTS)[number]

export const isV3 = (endpoint: Endpoint): boolean => endpoint.startsWith('v3_')

/** Responses per day, key, endpoint and status. */
export type UsageCount = {
  /** In UTC: 2026-01-31. */
  day: string
  /** The id of the key; empty for clients without a key. */
  key: string
  endpoint: Endpoint
  status: number
  count: number
}

/** Adds counts to buffered counts of the same day, key, endpoint and status. */
export function addCounts(buffer: Map<string, UsageCount>, counts: readonly UsageCount[]): void {
  for (const one of counts) {
    const name = `${one.day} ${one.key} ${one.endpoint} ${one.status}`
    const known = buffer.get(name)
    if (known) known.count += one.count
    else buffer.set(name, { ...one })
  }
}

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)
