import type { Credential } from '../passport/credential.ts'
import type { ScorablePoint } from '../passport/data-point.ts'
import type { Passport, Scores } from '../passport/passport.ts'
import type { WatchedTypes } from '../passport/rules/rule-set.ts'

/** The input of scoring. */
export type Scorable = {
  id: number
  /** The credentials of the record, with their scores. */
  recordCredentials: Credential[]
  dataPoints: ScorablePoint[]
  /** The human checkmark of the record. */
  givenHuman: boolean
  /** The scores of the record. */
  givenScores: Scores
}

/** A passport and the input of its score. `rules` calculated the stored scores; empty if they come from the record. */
export type Evidence = Scorable & { passport: Passport; rules: string }

export type Score = (passport: Scorable, now: number) => ScoreResult

/** `score` is also called with an earlier time, to find out whether the score changed only because time has passed. */
export type ScoringRules = { watched?: WatchedTypes | undefined; score: Score }

export type ScoringJob = ScoringRules & {
  /** The stamp of the rule set. */
  rules: string
  now: number
  /** Parses an earlier rule set, to find out whether the score changed only because of the rules. */
  parse?: (rules: { stamp: string; body: string }) => ScoringRules
  /** Called after scoring threw. The passport stays stale and is not tried again until it changes. */
  onFailure: (id: number, error: unknown) => void
}

export type AdoptionJob = Omit<ScoringJob, 'onFailure'>

/** `rescoreAt`: when the next data point expires; absent if none does. */
export type ScoreResult = {
  scores: Scores
  human: boolean
  /** The credentials of the record and the calculated ones. */
  credentials: Credential[]
  rescoreAt?: number
}
