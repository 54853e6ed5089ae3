import type { UsageCount } from '../../core/http/request-counter.ts'

/** The endpoint names of v3 have this prefix; those of V1 have none. */
export const isV3 = (endpoint: string): boolean => endpoint.startsWith('v3_')

/** Both days are included. */
export type Days = { since: string; until: string }

export type UsageStore = {
  /**
   * Adds to the stored counts, and updates the last use of keys. Pages in browsers have sent the keys of `inBrowser`.
   */
  add(
    counts: readonly UsageCount[],
    lastUsed: ReadonlyMap<string, number>,
    inBrowser?: ReadonlySet<string>,
  ): Promise<void>
  /** Sorted by day, key, endpoint and status. */
  list(days: Days): Promise<UsageCount[]>
  /** Deletes the counts of the oldest day before `day`; returns whether there was one. */
  removeOldest(day: string): Promise<boolean>
  /**
   * The number of responses to each key in the month, until this day. Responses with 304 and 429 are free and not
   * counted.
   */
  sumMonth(day: string): Promise<ReadonlyMap<string, number>>
}
