import type { EventContent } from '../../history/event.ts'
import type { Credential } from '../../passport/credential.ts'
import type { ScorablePoint } from '../../passport/data-point.ts'
import type { Passport, Scores } from '../../passport/passport.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import {
  type CredentialsRow,
  fromCredentialsRow,
  isUnscored,
  keepUnchanged,
  looksSame,
  shownCredentialsOf,
  withoutSuperseded,
} from '../rows/credential.ts'
import { readGiven, type StoredRow, toScoreRow, toScores } from '../rows/passport.ts'
import { type CauseOf, toScoreChanged } from './list-changes.ts'

export type Scorable = {
  id: number
  /** The credentials of the record, with their scores. */
  recordCredentials: Credential[]
  dataPoints: ScorablePoint[]
  /** The human checkmark of the record. */
  givenHuman: boolean
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

export type LoadedScorable = {
  row: StoredRow
  stored: CredentialsRow | undefined
  /** Includes superseded credentials. */
  all: readonly Credential[]
  scorable: Scorable
}

export function toLoadedScorable(row: StoredRow, dataPoints: ScorablePoint[], stored?: CredentialsRow) {
  const all = fromCredentialsRow(stored)
  const recordCredentials = all.filter(({ givenScore }) => givenScore !== undefined)
  const recorded = readGiven(row)
  const inputs = {
    recordCredentials,
    dataPoints,
    givenHuman: recorded.human_checkmark,
    givenScores: toScores(recorded),
  }
  return { row, stored, all, scorable: { id: row.id, ...inputs } }
}

export type Scored = {
  row: StoredRow
  credentials: readonly Credential[]
  /** Whether these credentials are already stored as those that responses show. */
  isUnchanged: boolean
  /** A hidden passport has no events. */
  event?: EventContent | undefined
}

/** `scoreByOld` uses the rule set of the last score; absent if that is the one of the job, or unknown. */
export function scorePassport(loaded: LoadedScorable, job: ScoringJob, scoreByOld?: Score): Scored {
  const { row: before, stored, all, scorable } = loaded
  const { scores, human, credentials: calculated, rescoreAt = null } = job.score(scorable, job.now)
  const row: StoredRow = {
    ...before,
    ...toScoreRow(scores),
    human: Number(human),
    stale: 0,
    calculated_at: job.now,
    // A passport without inputs has the scores of its record, whatever the rule set is.
    rules: scorable.recordCredentials.length + scorable.dataPoints.length > 0 ? job.rules : '',
    rescore_at: rescoreAt,
  }
  const credentials = keepUnchanged(all, calculated)
  const isUnchanged = stored !== undefined && !isUnscored(stored) && isSameList(all, credentials)
  const earlier = stored && isUnscored(stored) ? shownCredentialsOf(stored) : withoutSuperseded(all)
  const event = toScoreChanged(
    { row: before, credentials: earlier },
    { row, credentials: isUnchanged ? earlier : withoutSuperseded(credentials) },
    causeByScoring(loaded, job, scoreByOld),
    !isUnchanged,
  )
  return { row, credentials, isUnchanged, ...(row.hidden_at === null && { event }) }
}

/**
 * Whether a rule set would have given another result at the time of the stored score. If not, the score keeps its time
 * and its rule set. Also true if scoring fails, now or before: the scorer tries again.
 */
export function isAffected({ row, all, scorable }: LoadedScorable, { score }: AdoptionJob): boolean {
  if (row.stale !== 0) return true
  try {
    const { scores, human, credentials, rescoreAt = null } = score(scorable, row.calculated_at)
    const isSame =
      Bun.deepEquals(toScoreRow(scores), toScoreRow(toScores(row))) && human === (row.human === 1)
    return !isSame || rescoreAt !== row.rescore_at || !isSameList(all, keepUnchanged(all, credentials))
  } catch {
    // The scorer reports the error.
    return true
  }
}

/** Compares by reference, because `keepUnchanged` returns the old objects of unchanged credentials. */
const isSameList = (before: readonly Credential[], after: readonly Credential[]) =>
  before.length === after.length && after.every((credential) => before.includes(credential))

/** If several inputs changed since the last score, the first cause that applies is used. */
function causeByScoring({ row, scorable }: LoadedScorable, job: ScoringJob, scoreByOld?: Score): CauseOf {
  let byNew: readonly Credential[] | undefined
  let byOld: readonly Credential[] | undefined
  return (before, after) => {
    if (!before) return 'added'
    if (!after) return 'gone'
    if (after.givenScore !== undefined) return 'record'
    const isBefore = (credential: Credential) => credential.id === before.id && looksSame(credential, before)
    // If scoring at the earlier time gives the old credential, it changed only because time has passed.
    byNew ??= job.score(scorable, row.calculated_at).credentials
    if (byNew.some(isBefore)) return 'time'
    if (row.rules === '' || row.rules === job.rules) return 'value'
    // An unknown rule set counts as the cause, unless the text changed.
    byOld ??= scoreByOld?.(scorable, row.calculated_at).credentials
    return (byOld ? byOld.some(isBefore) : before.value === after.value) ? 'rules' : 'value'
  }
}
