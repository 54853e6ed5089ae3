import { countWhile } from '../basics/sorted.ts'
import { equals } from '../lists/filter.ts'
import type { Position, ScoreField } from '../lists/list-request.ts'
import type { Rank, Scores, Standing } from '../passport/passport.ts'
import { findList } from './find.ts'
import { countAbove, createComparison, findSlot, orderOf } from './order.ts'
import { countAlive, type PassportIndex, SCORE_FIELDS } from './passport-index.ts'

export const findStanding = (
  index: PassportIndex,
  { total, activity, identity, skills }: Scores,
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

export function rankOf(index: PassportIndex, score: number, field: ScoreField = 'score'): Rank {
  const total = countAlive(index)
  const atLeast = countAbove(index, field, score, true)
  return { rank: countAbove(index, field, score) + 1, below: total - atLeast, total }
}

export type Place = { position: Position; tag: string; most: number }

/** The number of passports before a position of the ranking, and those next to it with a tag, on both sides. */
export function findNeighbours(index: PassportIndex, { position, tag, most }: Place) {
  const { slots } = orderOf(index, 'score')
  const { compareWith } = createComparison(index, 'score')
  const list = (descending: boolean) => {
    const sort = { field: 'score' as const, descending }
    return findList(index, { filter: [equals('tag', tag)], sort, after: position, limit: most }).ids
  }
  return {
    above: countWhile(slots.length, (at) => compareWith(slots[at] as number, position) < 0),
    ids: tag === '' ? [] : [...list(false), ...list(true)],
  }
}
