import type { Caps } from './credential.ts'
import type { Scores } from './passport.ts'

/** How one credential came to its score; one without a credential says why there is none. */
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

/** How a score comes about. */
export type Explanation = {
  scores: Scores
  lines: readonly ExplanationLine[]
  /** The version of the rule set. */
  rules: string
  caps: Caps
}
