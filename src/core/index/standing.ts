import { roundUp } from '../basics/round-up.ts'
import type { Position, ScoreField } from '../lists/list-request.ts'
import type { Scores as PassportScores } from '../passport/passport.ts'
import { findSlot, isBefore, orderOf } from './order.ts'
import { type PassportIndex, SCORE_FIELDS } from './passport-index.ts'
import { countWhile } from './posting.ts'

/** The rank of a score, or of a part of it, among all listed passports. */
export type Rank = {
  /** 1 for the highest score; equal scores have equal ranks. */
  rank: number
  below: number
  total: number
}

/** The ranks of a total score and of its parts. */
export type Standing = Record<keyof PassportScores, Rank>

export const findStanding = (
  index: PassportIndex,
  { total, activity, identity, skills }: PassportScores,
): Standing => ({
  total: rankOf(index, total),
  activity: rankOf(index, activity, 'activity_score'),
  identity: rankOf(index, identity, 'identity_score'),
  skills: rankOf(index, skills, 'skills_score'),
})

/** The standings of listed passports by their scores in the index. */
export const listStandings = (index: PassportIndex, ids: readonly number[]): Standing[] =>
  ids.map((id) => {
    const slot = findSlot(index, id) as number
    const [total = 0, activity = 0, identity = 0, skills = 0] = SCORE_FIELDS.map(
      (field) => index.scores[field][slot],
    )
    return findStanding(index, { total, activity, identity, skills })
  })

/** All scores of a field, the highest first. */
type Scores = { length: number; at(place: number): number }

function scoresOf(index: PassportIndex, field: ScoreField): Scores {
  const { slots } = orderOf(index, field)
  const values = index.scores[field]
  return { length: slots.length, at: (place) => values[slots[place] as number] as number }
}

export function rankOf(index: PassportIndex, score: number, field: ScoreField = 'score'): Rank {
  const { length, at } = scoresOf(index, field)
  const above = countWhile(length, (place) => at(place) > score)
  const atLeast = countWhile(length, (place) => at(place) >= score)
  return { rank: above + 1, below: length - atLeast, total: length }
}

/** The number of passports before this one in the ranking. Equal scores are in the order of their ids. */
export function countBefore(index: PassportIndex, { value, id }: Position): number {
  const { slots } = orderOf(index, 'score')
  const { ids, scores } = index
  return countWhile(slots.length, (place) => {
    const slot = slots[place] as number
    return isBefore(scores.score[slot] as number, ids[slot] as number, value, id)
  })
}

export type Distribution = {
  /** The number of all passports. */
  total: number
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

/** Takes no time at any number of passports, because the scores are sorted. */
export function findDistribution(index: PassportIndex): Distribution {
  const scores = scoresOf(index, 'score')
  const { length, at } = scores
  const highest = length > 0 ? Math.max(at(0), 0) : 0
  const median = length > 0 ? at(Math.floor(length / 2)) : 0
  const { scale, step } = findScale(scores, highest)
  const countFrom = (bucket: number) =>
    countWhile(length, (place) => bucketOf(at(place), { scale, step }) >= bucket)
  const distribution = Array.from(
    { length: Math.round(scale / step) + 1 },
    (_, bucket) => countFrom(bucket) - countFrom(bucket + 1),
  )
  return { total: length, highest, median, scale, step, distribution }
}

function findScale({ length, at }: Scores, highest: number): { scale: number; step: number } {
  const above = Math.ceil(length / (length < FEW ? 10 : 100))
  const percentile = length > 0 ? at(Math.min(above, length - 1)) : 0
  const outliers = countWhile(length, (place) => at(place) > NEAR * percentile)
  const end = percentile > 0 && outliers < length ? at(outliers) : highest
  const step = roundUp(Math.max(end, 1) / MOST_BUCKETS)
  return { step, scale: step * Math.max(1, Math.ceil(end / step)) }
}

/** The index of a score's bucket in `distribution`. */
export function bucketOf(score: number, { scale, step }: Pick<Distribution, 'scale' | 'step'>): number {
  const buckets = Math.round(scale / step)
  if (score > scale) return buckets
  return Math.min(buckets - 1, Math.max(0, Math.floor(score / step)))
}
