import type { Caps, Credential } from '../credential.ts'
import type { RawValue } from '../data-point.ts'
import type { Passport, Scores } from '../passport.ts'
import type { Rule } from './rule-set.ts'

type Scored = Pick<Credential, 'type' | 'name' | 'category' | 'score' | 'maxScore' | 'value'>

/** Explains how the score of one credential is calculated, or why data points give no credential. */
export type ExplanationLine = Scored & {
  from: 'record' | 'rule' | 'nothing'
  formula: string
  /** The score in the record; present only if the credential has another score. */
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
  raw: RawValue
  formula: string
  issuer?: string
  obstacle?: string
}

/** A line shows at most this many accounts. */
const MOST_ACCOUNTS = 20

/** A part of the accounts of a line: those that count come first. */
export function sliceAccounts({ accounts }: ExplanationLine, start = 0, end = MOST_ACCOUNTS) {
  if (accounts.length <= MOST_ACCOUNTS) return accounts.slice(start, end)
  const { counting = [], others = [] } = Object.groupBy(accounts, ({ obstacle }) =>
    obstacle === undefined ? 'counting' : 'others',
  )
  return [...counting, ...others].slice(start, end)
}

/** The inputs of a formula. `obstacle`: why the value does not count. `note`: until when it counts. */
export type Calculation = { raw: RawValue; rule: Rule; now: number; obstacle?: string; note?: string }

export type Explanation = {
  /** The stored passport whose score is explained. */
  passport: Passport
  /** The result of the lines. Differs from the stored scores while these are calculated, or come with the record. */
  scores: Scores
  lines: readonly ExplanationLine[]
  /** `record`: the scores came with the record, and no known rule set gives them. */
  method: 'rules' | 'record'
  /** The stamp of the rule set that gives the scores; `null` for the method `record`. */
  rules: string | null
  /** Empty for the method `record`. */
  version: string
  caps: Caps
  /** The human checkmark of the record. */
  givenHuman: boolean
}

/** `event` is the id of the last event of the passport; `null` if the log has none. */
export type ExplainedPassport = Explanation & { event: string | null }
