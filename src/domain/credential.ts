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
}

/** Scores are kept to two decimals: sums of fractions do not grow a tail. */
export const roundScore = (score: number): number => Math.round(score * 100) / 100

/** Credentials of another category than these three count toward no score. */
export function sumScores(credentials: readonly Credential[]): Scores {
  const sum = (category: string) =>
    roundScore(
      credentials.reduce((total, each) => (each.category === category ? total + each.score : total), 0),
    )
  const activity = sum('Activity')
  const identity = sum('Identity')
  const skills = sum('Skills')
  return { activity, identity, skills, total: roundScore(activity + identity + skills) }
}
