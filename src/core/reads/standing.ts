import { roundUp } from '../basics/round-up.ts'
import type { IndexClient } from '../index/postings/calls.ts'
import { bucketOf, type Rank, type Distribution as Scale } from '../index/postings/standing.ts'
import { countWhile, type Snapshot } from '../index/snapshot.ts'
import type { Scores } from '../passport/passport.ts'

export type ScoreDistribution = Scale

const PARTS = ['activity', 'identity', 'skills'] as const

/** The rank of a score among all listed passports. `atLeast`: for each part above 0, the number of passports with at least that score. */
export type PassportStanding = Rank & Pick<Scale, 'scale'> & { atLeast: PartStandings }
export type PartStandings = Partial<Record<(typeof PARTS)[number], number>>

/** The standings of several passports. */
export async function readStandings(
  { index }: { index: { call: IndexClient['call'] } },
  all: readonly Scores[],
  signal: AbortSignal,
): Promise<PassportStanding[]> {
  const { scale } = await index.call('distribution', undefined, signal)
  const wanted = all.map(({ total, activity, identity, skills }) => ({
    ...{ score: total, activity_score: activity, identity_score: identity, skills_score: skills },
  }))
  const ranks = await index.call('ranks', wanted, signal)
  return all.map((scores, at) => {
    const find = (field: string) => ranks[at]?.find((each) => each.field === field) as Rank
    const parts = PARTS.filter((part) => scores[part] > 0).map((part) => {
      const { below, total } = find(`${part}_score`)
      return [part, total - below] as const
    })
    return { ...find('score'), scale, atLeast: Object.fromEntries(parts) }
  })
}

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
