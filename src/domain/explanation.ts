import type { Caps, Credential } from './credential.ts'
import type { RawValue } from './data-point.ts'
import type { Passport, Scores } from './passport.ts'
import type { Rule } from './rule-set.ts'

type Scored = Pick<Credential, 'type' | 'name' | 'category' | 'score' | 'maxScore' | 'value'>

/** How the score of one credential is calculated, or why data points have no credential. */
export type ExplanationLine = Scored & {
  from: 'record' | 'rule' | 'nothing'
  formula: string
  /** The score of the record, if it is above the maximum. */
  givenScore?: number
  /** For scores by a rule. */
  calculation?: Calculation
  accounts: ExplanationAccount[]
}

export type ExplanationAccount = { account: string; value: string; formula: string }

/** The inputs of a formula. */
export type Calculation = { raw: RawValue; rule: Rule; now: number }

export type Explanation = {
  scores: Scores
  lines: readonly ExplanationLine[]
  rules: string
  caps: Caps
}

/** `words` is the calculation for readers: "√9 × 6 = 18, at most 40"; empty without a rule. */
export type DescribedLine = ExplanationLine & { words: string }

export type ExplainedPassport = Omit<Explanation, 'lines'> & {
  passport: Passport
  lines: readonly DescribedLine[]
}
