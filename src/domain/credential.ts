import type { Scores } from './passport.ts'

export type Credential = {
  id: string
  type: string
  name: string
  category: string
  score: number
  maxScore: number
  /** What a person reads: "FID: 12345", "Verified". */
  value: string
  /** Epoch milliseconds, where known. */
  earnedAt?: number
  calculatedAt: number
  /** The score that its record carried; absent where the rule set worked it out from data points. */
  givenScore?: number
  /** A data point of the same type stands in its place: it is kept, and neither shown nor counted. */
  superseded?: boolean
}

/** Scores are kept to two decimals: sums of fractions do not grow a tail. */
export const roundScore = (score: number): number => Math.round(score * 100) / 100

/** The most that a category adds to the overall score, where it is limited. */
export type Caps = Readonly<Record<string, number>>

/** Credentials of another category than these three count toward no score. */
export function sumScores(
  all: readonly Pick<Credential, 'category' | 'score' | 'superseded'>[],
  caps: Caps = {},
): Scores {
  const credentials = all.filter(({ superseded }) => !superseded)
  const sum = (category: string) =>
    roundScore(
      credentials.reduce((total, each) => (each.category === category ? total + each.score : total), 0),
    )
  const activity = sum('Activity')
  const identity = sum('Identity')
  const skills = sum('Skills')
  const capped = (category: string, score: number) => Math.min(score, caps[category] ?? score)
  const total = capped('Activity', activity) + capped('Identity', identity) + capped('Skills', skills)
  return { activity, identity, skills, total: roundScore(total) }
}
