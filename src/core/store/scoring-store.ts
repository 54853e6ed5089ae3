import type { Credential } from '../passport/credential.ts'
import type { ScorablePoint } from '../passport/data-point.ts'
import type { Passport, PassportRef, Scores } from '../passport/passport.ts'
import type { WatchedTypes } from '../passport/rules/rule-set.ts'

export type ScoringStore = {
  /**
   * Scores up to `limit` stale passports in one transaction. Other scorers skip them meanwhile, and after a crash
   * they are still stale. Returns how many it processed, or `undefined` if another rule set is in force.
   */
  work(limit: number, job: ScoringJob): Promise<number | undefined>
  /** Reads together with the id of the last event of the passport; `null` if the log has none. */
  find(ref: PassportRef, watched?: WatchedTypes): Promise<(Evidence & { event: string | null }) | undefined>
  listByIds(ids: readonly number[], watched?: WatchedTypes): Promise<Evidence[]>
  /** The next passports by id, without merged ones. */
  list(afterId: number, limit: number, watched?: WatchedTypes): Promise<Scorable[]>
  countStale(): Promise<number>
  markAll(): Promise<void>
  /**
   * Puts a rule set in force, one batch of passports per call. Returns `true` after the last batch. Passports whose
   * score it changes become stale. The first rule set keeps the scores of records. Does nothing while another
   * applied rule set is active.
   */
  adopt(job: AdoptionJob): Promise<boolean>
}

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
