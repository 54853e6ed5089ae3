/** The rank of a score among all listed passports, and the distribution of their scores. */
export type Standing = {
  /** 1 for the highest score; equal scores have equal ranks. */
  rank: number
  below: number
  total: number
  /** Histogram: passports in each of `BUCKETS` buckets of equal width, from 0 to `highest`. */
  distribution: readonly number[]
  highest: number
}

export const BUCKETS = 40

export function bucketOf(score: number, highest: number): number {
  if (highest <= 0) return 0
  return Math.min(BUCKETS - 1, Math.max(0, Math.floor((score / highest) * BUCKETS)))
}
