import type { Scores } from './passport.ts'

export type Credential = {
  id: string
  type: string
  name: string
  category: string
  score: number
  maxScore: number
  /** Display text, such as "FID: 12345" or "Verified". */
  value: string
  /** Epoch milliseconds; absent if unknown. */
  earnedAt?: number
  calculatedAt: number
  /** The score in the imported record; absent if the rule set calculated the score from data points. */
  givenScore?: number
  /** The imported record gave no score. It counts as 0 until a rule scores the value. */
  lacksScore?: boolean
  /** Stored, but neither shown nor counted, because a data point of the same type replaces this credential. */
  superseded?: boolean
  /** Who wrote the data point that counts; absent for the operator, and for credentials of the record. */
  issuer?: string
}

/**
 * Whether a rule or the record scores one of a passport's credentials. If not, the passport has the scores of its
 * record.
 */
export const isScored = (credentials: readonly Pick<Credential, 'lacksScore'>[]): boolean =>
  credentials.some(({ lacksScore }) => !lacksScore)

/** Rounds to two decimals, so that sums of fractions stay short. */
export const roundScore = (score: number): number => Math.round(score * 100) / 100

/** Each category adds at most this many points to the overall score. */
export type Caps = Readonly<Record<string, number>>

const COUNTED = ['Activity', 'Identity', 'Skills']

type Counted = Pick<Credential, 'category' | 'score'>

/** The points of credentials whose category counts toward no score. */
export const sumUncounted = (credentials: readonly Counted[]): number =>
  credentials.reduce((sum, { category, score }) => (COUNTED.includes(category) ? sum : sum + score), 0)

/** Credentials outside the three categories count toward no score. */
export function sumScores(
  all: readonly Pick<Credential, 'category' | 'score' | 'superseded'>[],
  caps: Caps = {},
): Scores {
  const credentials = all.filter(({ superseded }) => !superseded)
  const sum = (category: string) =>
    roundScore(
      credentials.reduce(
        (total, credential) => (credential.category === category ? total + credential.score : total),
        0,
      ),
    )
  const activity = sum('Activity')
  const identity = sum('Identity')
  const skills = sum('Skills')
  const capped = (category: string, score: number) => Math.min(score, caps[category] ?? score)
  const total = capped('Activity', activity) + capped('Identity', identity) + capped('Skills', skills)
  return { activity, identity, skills, total: roundScore(total) }
}

type Ranked = Pick<Credential, 'id' | 'name' | 'score'>

/** The order of credentials in responses: highest score first, then by name, then by id. */
export const byScore = (one: Ranked, other: Ranked): number =>
  other.score - one.score || compareTexts(one.name, other.name) || compareTexts(one.id, other.id)

const compareTexts = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
