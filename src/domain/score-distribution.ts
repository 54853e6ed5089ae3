/** Where a score stands among those of all listed passports. */
export type Standing = {
  /** 1 for the highest; passports of the same score share one. */
  rank: number
  /** Passports with a lower score. */
  below: number
  total: number
  /** How many passports have a score in each of equal stretches from 0 to `highest`. */
  distribution: readonly number[]
  highest: number
}

export const BUCKETS = 40

/** The stretch of the distribution that a score is in. */
export function bucketOf(score: number, highest: number): number {
  if (highest <= 0) return 0
  return Math.min(BUCKETS - 1, Math.max(0, Math.floor((score / highest) * BUCKETS)))
}
