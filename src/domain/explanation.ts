import type { Caps, Credential } from './credential.ts'
import type { RawValue } from './data-point.ts'
import type { Passport, Scores } from './passport.ts'
import type { Rule } from './rule-set.ts'

type Scored = Pick<Credential, 'type' | 'name' | 'category' | 'score' | 'maxScore' | 'value'>

/** Explains how the score of one credential is calculated, or why data points give no credential. */
export type ExplanationLine = Scored & {
  from: 'record' | 'rule' | 'nothing'
  formula: string
  /** The score in the record; present only if it is above the maximum. */
  givenScore?: number
  /** Present if a rule calculated the score. `words` explains it to people, such as "√9 × 6 = 18, at most 40". */
  calculation?: Calculation
  words?: string
  accounts: ExplanationAccount[]
}

/** `issuer` is absent if the operator wrote the data point. `obstacle`: why the account does not count. */
export type ExplanationAccount = {
  account: string
  value: string
  formula: string
  issuer?: string
  obstacle?: string
}

/** The inputs of a formula. `obstacle`: why the value does not count. `note`: until when it counts. */
export type Calculation = { raw: RawValue; rule: Rule; now: number; obstacle?: string; note?: string }

export type Explanation = {
  scores: Scores
  lines: readonly ExplanationLine[]
  rules: string
  caps: Caps
}

export type ExplainedPassport = Explanation & { passport: Passport }
