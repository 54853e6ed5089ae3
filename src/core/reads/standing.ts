import { countWhile, type Snapshot } from '../index/snapshot.ts'

/** The rank of a score among all listed passports, and the distribution of their scores. */
export type Standing = Distribution & {
  /** 1 for the highest score; equal scores have equal ranks. */
  rank: number
  below: number
  total: number
}

type Distribution = {
  highest: number
  median: number
  /** The end of the histogram's axis: a round number that only outliers exceed. */
  scale: number
  /** The width of a bucket of the histogram. */
  step: number
  /** The number of passports in each bucket from 0 to `scale`. The last bucket has all scores above `scale`. */
  distribution: readonly number[]
}

const MOST_BUCKETS = 40

/** Scores above this multiple of a high percentile are outliers. */
const NEAR = 1.5

/** Below this many passports, the 90th percentile is used, because two outliers would raise the 99th. */
const FEW = 100

const distributions = new WeakMap<Snapshot, Distribution>()

export const findStanding = (snapshot: Snapshot, score: number): Standing => ({
  ...rankOf(snapshot, score),
  ...distributions.getOrInsertComputed(snapshot, ({ scores }) => distributionOf(scores)),
})

export const rankOf = ({ scores }: Snapshot, score: number) => ({
  rank: countBefore(scores, (other) => other > score) + 1,
  below: scores.length - countBefore(scores, (other) => other >= score),
  total: scores.length,
})

/** The number of passports above this one in the ranking. Equal scores are in the order of their ids. */
export const countAbove = ({ ids, scores }: Snapshot, id: number, score: number): number =>
  countBefore(scores, (other, at) => other > score || (other === score && (ids[at] as number) < id))

/** The number of leading scores for which the condition holds. */
const countBefore = (scores: Float64Array, condition: (score: number, at: number) => boolean) =>
  countWhile(scores.length, (at) => condition(scores[at] as number, at))

/** `scores` in descending order. */
function distributionOf(scores: Float64Array): Distribution {
  const highest = Math.max(scores[0] ?? 0, 0)
  const median = scores[Math.floor(scores.length / 2)] ?? 0
  const { scale, step } = findScale(scores, highest)
  const distribution = new Array<number>(Math.round(scale / step) + 1).fill(0)
  for (const score of scores) {
    const bucket = bucketOf(score, { scale, step })
    distribution[bucket] = (distribution[bucket] ?? 0) + 1
  }
  return { highest, median, scale, step, distribution }
}

function findScale(scores: Float64Array, highest: number) {
  const above = Math.ceil(scores.length / (scores.length < FEW ? 10 : 100))
  const percentile = scores[Math.min(above, scores.length - 1)] ?? 0
  const near = percentile > 0 ? scores.find((score) => score <= NEAR * percentile) : undefined
  const end = near ?? highest
  const step = roundUp(Math.max(end, 1) / MOST_BUCKETS)
  return { step, scale: step * Math.max(1, Math.ceil(end / step)) }
}

/** Rounds up to 1, 2, 5, 10, 20, ... */
export function roundUp(number: number): number {
  const power = 10 ** Math.floor(Math.log10(number))
  return power * ([1, 2, 5].find((factor) => factor * power >= number) ?? 10)
}

/** The index of a score's bucket in `distribution`. */
export function bucketOf(score: number, { scale, step }: Pick<Distribution, 'scale' | 'step'>): number {
  const buckets = Math.round(scale / step)
  if (score > scale) return buckets
  return Math.min(buckets - 1, Math.max(0, Math.floor(score / step)))
}
