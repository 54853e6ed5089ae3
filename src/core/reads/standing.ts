import type { IndexClient } from '../index/calls.ts'
import type { Rank, Distribution as Scale } from '../index/standing.ts'
import type { Scores } from '../passport/passport.ts'

export type ScoreDistribution = Scale

const PARTS = ['activity', 'identity', 'skills'] as const

/**
 * The rank of a score among all listed passports. `atLeast`: for each part above 0, the number of passports with at
 * least that score.
 */
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
