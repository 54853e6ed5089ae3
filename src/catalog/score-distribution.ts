import { type Distribution, distributionOf, type Standing } from '../domain/lists/score-distribution.ts'
import type { Snapshot } from './snapshot.ts'
import { countWhile } from './sorted-list.ts'

const distributions = new WeakMap<Snapshot, Distribution>()

export const findStanding = (snapshot: Snapshot, score: number): Standing => ({
  ...rankOf(snapshot, score),
  ...findDistribution(snapshot),
})

export const rankOf = ({ scores }: Snapshot, score: number) => ({
  rank: countBefore(scores, (other) => other > score) + 1,
  below: scores.length - countBefore(scores, (other) => other >= score),
  total: scores.length,
})

function findDistribution(snapshot: Snapshot): Distribution {
  const known = distributions.get(snapshot)
  if (known) return known
  const distribution = distributionOf(snapshot.scores)
  distributions.set(snapshot, distribution)
  return distribution
}

/** The number of leading scores for which the condition holds. */
const countBefore = (scores: Float64Array, condition: (score: number) => boolean) =>
  countWhile(scores.length, (index) => condition(scores[index] as number))
