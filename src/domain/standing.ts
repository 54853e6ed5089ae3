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

/** Scores from high to low, each once, and how many passports have it. */
export type ScoreCounts = { scores: readonly number[]; counts: readonly number[] }

/** Counts scores that come from high to low. */
export function createScoreCounter() {
  const scores: number[] = []
  const counts: number[] = []
  return {
    counts: { scores, counts } satisfies ScoreCounts,
    add(score: number): void {
      if (score === scores.at(-1)) counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1
      else {
        scores.push(score)
        counts.push(1)
      }
    },
  }
}

const STRETCHES = 40

/** The same for any number of scores: it looks them up among the different ones, which are few. */
export function createStandings({ scores, counts }: ScoreCounts): (score: number) => Standing {
  const highest = Math.max(scores[0] ?? 0, 0)
  const distribution = new Array<number>(STRETCHES).fill(0)
  /** How many passports have one of the first so many scores. */
  const sums = [0]
  for (const [at, count] of counts.entries()) {
    sums.push((sums[at] ?? 0) + count)
    const stretch = stretchOf(scores[at] ?? 0, highest)
    distribution[stretch] = (distribution[stretch] ?? 0) + count
  }
  const total = sums.at(-1) ?? 0

  /** How many of the different scores are above `score`, or where `andEqual`, not below it. */
  function countAbove(score: number, andEqual: boolean): number {
    let [from, to] = [0, scores.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const there = scores[middle] ?? 0
      if (there > score || (andEqual && there === score)) from = middle + 1
      else to = middle
    }
    return from
  }

  return (score) => ({
    rank: (sums[countAbove(score, false)] ?? 0) + 1,
    below: total - (sums[countAbove(score, true)] ?? 0),
    total,
    distribution,
    highest,
  })
}

/** The stretch of the distribution that a score is in. */
export function stretchOf(score: number, highest: number): number {
  if (highest <= 0) return 0
  return Math.min(STRETCHES - 1, Math.max(0, Math.floor((score / highest) * STRETCHES)))
}
