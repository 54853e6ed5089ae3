import type { Caps } from './credential.ts'
import type { Passport, Scores } from './passport.ts'

/** How the score of one credential is calculated, or why data points have no credential. */
export type ExplanationLine = {
  type: string
  name: string
  category: string
  score: number
  maxScore: number
  from: 'record' | 'rule' | 'nothing'
  formula: string
  accounts: { account: string; value: string; formula: string }[]
}

export type Explanation = {
  scores: Scores
  lines: readonly ExplanationLine[]
  rules: string
  caps: Caps
}

export type ExplainedPassport = Explanation & { passport: Passport }
