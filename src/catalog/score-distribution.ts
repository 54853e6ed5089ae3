import { BUCKETS, bucketOf, type Standing } from '../domain/score-distribution.ts'
import type { Snapshot } from './snapshot.ts'
import { countWhile } from './sorted-list.ts'

const distributions = new WeakMap<Snapshot, readonly number[]>()

export function findStanding(snapshot: Snapshot, score: number): Standing {
  return {
    ...rankOf(snapshot, score),
    distribution: distributionOf(snapshot),
    highest: highestOf(snapshot),
  }
}

export const rankOf = ({ scores }: Snapshot, score: number) => ({
  rank: countBefore(scores, (other) => other > score) + 1,
  below: scores.length - countBefore(scores, (other) => other >= score),
  total: scores.length,
})

const highestOf = ({ scores }: Snapshot) => Math.max(scores[0] ?? 0, 0)

function distributionOf(snapshot: Snapshot): readonly number[] {
  const known = distributions.get(snapshot)
  if (known) return known
  const distribution = new Array<number>(BUCKETS).fill(0)
  const highest = highestOf(snapshot)
  for (const score of snapshot.scores) {
    const bucket = bucketOf(score, highest)
    distribution[bucket] = (distribution[bucket] ?? 0) + 1
  }
  distributions.set(snapshot, distribution)
  return distribution
}

/** The number of leading scores for which the condition holds. */
const countBefore = (scores: Float64Array, condition: (score: number) => boolean) =>
  countWhile(scores.length, (index) => condition(scores[index] as number))
