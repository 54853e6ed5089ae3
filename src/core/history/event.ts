import { type Credential, isScored, roundScore, sumUncounted } from '../passport/credential.ts'
import type { Passport } from '../passport/passport.ts'

/** A credential as responses show it. */
export type ShownCredential = Omit<Credential, 'givenScore' | 'superseded'>

/** The fields of a passport that can be read as of a past time. */
export type ScoreState = Pick<Passport, 'scores' | 'human' | 'calculatedAt'> & {
  /** The rule set that calculated the scores; empty if they come from the record. */
  rules: string
  /** Highest score first, then by name, then by id. */
  credentials: readonly ShownCredential[]
}

export const EVENT_TYPES = [
  'passport.added',
  'passport.changed',
  'passport.merged',
  'passport.unmerged',
  'passport.removed',
  'score.changed',
  'rules.changed',
] as const

export type EventType = (typeof EVENT_TYPES)[number]

/**
 * Why the score of a credential changed. `value`: its input. `record`: the record has another score. `uncounted`: its
 * category counts toward no score. `capped`: the rule set caps it. `calculated`: a rule replaced a recorded score.
 */
export const CAUSES = [
  'added',
  'gone',
  'value',
  'rules',
  'time',
  'record',
  'merge',
  'uncounted',
  'capped',
  'calculated',
] as const

export type Cause = (typeof CAUSES)[number]

export type Change<T> = readonly [before: T, after: T]

/** `before` has the old values of changed fields: all fields if the credential is gone, none if it was added. */
export type CredentialChange = {
  type: string
  /** Present if the credential is gone, or if the passport has or had several of this type. */
  id?: string
  cause: Cause
  /** The score is `null` before the credential was added and after it is gone. */
  score: Change<number | null>
  before: CredentialFields
}

/** `earnedAt` is `null` if it was absent. `value` is empty: its earlier text is unknown. */
export type CredentialFields = Partial<
  Pick<ShownCredential, 'name' | 'category' | 'maxScore' | 'value' | 'calculatedAt'>
> & { earnedAt?: number | null }

/** `score` and `rules` are always present. The other fields are absent if they did not change. */
export type ScoreChange = {
  score: Change<number>
  activity?: Change<number>
  identity?: Change<number>
  skills?: Change<number>
  human?: Change<boolean>
  calculatedAt?: Change<number>
  rules: Change<string>
  credentials: readonly CredentialChange[]
  /** The cause of the part that no credential explains. If it is absent, the rule set of the score decides. */
  rest?: Cause
}

/** Fields of a passport outside of its score, named as in responses. Events list them in this order. */
export const PASSPORT_FIELDS = [
  'connections_count',
  'main_wallet',
  'verified_wallets',
  'passport_profile.display_name',
  'passport_profile.bio',
  'passport_profile.location',
  'passport_profile.tags',
  'passport_socials',
  'merged_from',
  'image_url',
  'main_wallet_changed_at',
  'nominations_received_count',
] as const

export type PassportField = (typeof PASSPORT_FIELDS)[number]

/** A change of a passport or of the rule set, before the log gives it a number and a time. */
export type EventContent =
  | { type: 'passport.added'; passportId: number; score: number; human: boolean; rules: string }
  | { type: 'passport.changed'; passportId: number; fields: readonly PassportField[] }
  | { type: 'passport.merged'; passportId: number; into: number }
  | { type: 'passport.unmerged'; passportId: number; from: number }
  | { type: 'passport.removed'; passportId: number }
  | { type: 'score.changed'; passportId: number; change: ScoreChange }
  | { type: 'rules.changed'; rules: Change<string> }

/** Who caused a change: a command, the scorer, the owner of the passport, or the API key with this id. */
export type Actor = 'cli' | 'scorer' | 'subject' | `key:${string}`

/** An entry of the audit log. `detail` has ids instead of secrets and personal data, because it is never deleted. */
export type AuditEntry = { time: number; actor: Actor; action: string; detail: Readonly<object> }

/** Sequence numbers have no gaps, in the order of commits; times never decrease. Events of 0.2.1 have no actor. */
export type LogEvent = EventContent & { sequence: number; time: number; actor?: Actor }

/** What is left of an event of a removed passport: the leaf of the hash chain (src/core/history/hash-chain.ts). */
export type Tombstone = { type: 'tombstone'; sequence: number; leaf: string }

/** An event with the salt of its leaf; empty if it has none. */
export type ProvenEvent = (LogEvent & { salt: string }) | Tombstone

/** The hash chain of a log. `base` is the head before the event `first`, `head` covers events up to `length`. */
export type LogHead = Omit<EventLog, 'knownSince'> & { base: string; length: number; head: string }

/** The event log. Events before `first` were pruned. Without events, `last` is `first - 1`. */
export type EventLog = {
  /** Changes when a backup is restored, because event numbers are unique only within one log. */
  name: string
  first: number
  last: number
  /** The earliest time for which past passports can be read. */
  knownSince: number
}

/** One cause of a score difference. A cause without `type` is not a credential but, for example, a cap. */
export type ScoreCause = { type?: string; delta: number; cause: Cause }

/** The causes of a score change; they add up to the difference. */
export function causesOf({ score: [before, after], rules, credentials, rest }: ScoreChange): ScoreCause[] {
  const causes: ScoreCause[] = credentials.map(({ type, cause, score }) => ({
    type,
    delta: roundScore((score[1] ?? 0) - (score[0] ?? 0)),
    cause,
  }))
  return withRemainder(causes, after - before, rules[1], rest)
}

/** Adds an entry for the rest of the difference that the causes do not explain, and removes causes without effect. */
export function withRemainder(
  causes: readonly ScoreCause[],
  difference: number,
  rules: string,
  cause: Cause = rules === '' ? 'record' : 'rules',
): ScoreCause[] {
  const explained = causes.reduce((sum, { delta }) => sum + delta, 0)
  const rest: ScoreCause = { delta: roundScore(difference - explained), cause }
  return [...causes, rest].filter(({ delta }) => delta !== 0)
}

type Scored = {
  score: number
  rules: string
  credentials: readonly Pick<Credential, 'category' | 'score' | 'lacksScore'>[]
}

/** The cause of the part of a change that no credential explains; `undefined` if the rule set or the record changed. */
export function findRestCause(before: Scored, after: Scored): Cause | undefined {
  const sum = ({ credentials }: Scored) => credentials.reduce((total, { score }) => total + score, 0)
  const rest = after.score - before.score - (sum(after) - sum(before))
  if (roundScore(rest) === 0) return undefined
  const uncounted = sumUncounted(after.credentials) - sumUncounted(before.credentials)
  if (roundScore(rest + uncounted) === 0) return 'uncounted'
  if (after.rules === '') return undefined
  if (!isScored(after.credentials)) return 'record'
  const isGiven = before.rules === '' || !isScored(before.credentials)
  const isNew = before.score === 0 && rest < 0
  if (isGiven && !isNew) return 'calculated'
  return isGiven || before.rules === after.rules ? 'capped' : undefined
}
