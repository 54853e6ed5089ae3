import type { PassportV3 } from '../../history/passport-state.ts'
import type { ScoreField } from '../../lists/list-request.ts'
import { roundScore } from '../../passport/credential.ts'
import type { DataPoint, RawValue } from '../../passport/data-point.ts'
import {
  accountKeyOf,
  type FullPassport,
  foldWallet,
  NO_SCORES,
  type Passport,
  type Scores,
} from '../../passport/passport.ts'
import { fromLaterText, toLaterText } from '../../passport/present.ts'
import type { PassportRecord } from '../../passport/record.ts'
import { type CredentialsRow, parseShown, readOrigins } from './credential.ts'

/** Limits the length of a chain of merges, so that a cycle is not followed forever. */
export const LONGEST_CHAIN = 1000

/** At most this many candidates are returned for an ambiguous handle. */
export const MOST_CANDIDATES = 10

/** A handle of more passports than this is ambiguous, even if all of them are merged into one. */
export const MOST_OWNERS = 32

/** Approximate limit of the bytes that one call of `v3.find` reads. The caller reads the rest in further calls. */
export const MAX_READ_BYTES = 4 * 1024 * 1024

type ScoreRow = Record<ScoreField, number>
/** The scores of the last record, which scoring never changes. */
type GivenScoreRow = Record<`given_${ScoreField}`, number>

export type StoredRow = ScoreRow &
  GivenScoreRow & {
    id: number
    /** 1: waits for a scorer. 2: scoring failed, and is tried again after the next change. */
    stale: number
    calculated_at: number
    human: number
    connections: number
    main_wallet: string
    verified_wallets: string
    display_name: string
    bio: string
    location: string
    tags: string
    socials: string
    merged_into: number | null
    given_human: number
    fingerprint: string
    rules: string
    /** The fields of the record that only V2 shows (`toLaterText`). */
    later_fields: string
    /** When a data point expires, so that the score must be calculated again. */
    rescore_at: number | null
    /** Since when the passport is hidden. */
    hidden_at: number | null
  }

/** The columns that v3 shows. */
export type ShownRow = Omit<
  StoredRow,
  | keyof GivenScoreRow
  | 'given_human'
  | 'fingerprint'
  | 'later_fields'
  | 'rescore_at'
  | 'merged_into'
  | 'hidden_at'
>

/** SQL for both engines: a `ShownRow`. */
export const SHOWN_COLUMNS = `cast(id as double precision) as id, score, activity_score, identity_score, skills_score,
  stale, cast(calculated_at as double precision) as calculated_at, human,
  cast(connections as double precision) as connections, main_wallet, verified_wallets, display_name, bio, location,
  tags, socials, rules`

/**
 * Decides what responses show. A merged passport leads to its survivor. A hidden passport is not found, nor are those
 * merged into it. Records and scores of both go on.
 */
export const isVisible = (row: Pick<StoredRow, 'merged_into' | 'hidden_at'>): boolean =>
  row.merged_into === null && row.hidden_at === null

/** SQL for both engines: `isVisible`. */
export const IS_VISIBLE = 'merged_into is null and hidden_at is null'

export function toScores(row: ScoreRow): Scores {
  return {
    total: row.score,
    activity: row.activity_score,
    identity: row.identity_score,
    skills: row.skills_score,
  }
}

export const toGivenScores = (row: GivenScoreRow): Scores => ({
  total: row.given_score,
  activity: row.given_activity_score,
  identity: row.given_identity_score,
  skills: row.given_skills_score,
})

export function toScoreRow(scores: Scores): ScoreRow {
  return {
    score: roundScore(scores.total),
    activity_score: roundScore(scores.activity),
    identity_score: roundScore(scores.identity),
    skills_score: roundScore(scores.skills),
  }
}

export function toPassport(row: ShownRow): Passport {
  return {
    id: row.id,
    scores: toScores(row),
    stale: row.stale !== 0,
    calculatedAt: row.calculated_at,
    human: row.human === 1,
    connections: row.connections,
    mainWallet: row.main_wallet,
    verifiedWallets: JSON.parse(row.verified_wallets),
    profile: {
      bio: row.bio,
      displayName: row.display_name,
      location: row.location,
      tags: JSON.parse(row.tags),
    },
  }
}

export function toFullPassport(row: ShownRow, merged: boolean): FullPassport {
  return { ...toPassport(row), socials: JSON.parse(row.socials), merged }
}

export function toPassportV3(
  row: ShownRow,
  mergedFrom: readonly number[],
  credentials: CredentialsRow | undefined,
): PassportV3 {
  return {
    ...toFullPassport(row, mergedFrom.length > 0),
    mergedFrom: [...mergedFrom].sort((one, other) => one - other),
    rules: row.rules,
    ...(credentials && { credentials: toCredentials(credentials) }),
  }
}

function toCredentials(row: CredentialsRow): NonNullable<PassportV3['credentials']> {
  const originOf = readOrigins(row)
  return parseShown(row).map((credential) => ({ ...credential, ...originOf(credential.id) }))
}

/** The columns that depend on the record alone. */
export function toRecordRow(record: PassportRecord) {
  const given = toScoreRow(record.givenScores ?? record.scores ?? NO_SCORES)
  return {
    id: record.id,
    connections: record.connections,
    main_wallet: foldWallet(record.mainWallet),
    verified_wallets: JSON.stringify(record.verifiedWallets.map(foldWallet)),
    display_name: record.profile.displayName,
    bio: record.profile.bio,
    location: record.profile.location,
    tags: JSON.stringify(record.profile.tags),
    socials: JSON.stringify(record.socials),
    given_human: Number(record.givenHuman ?? record.human),
    given_score: given.score,
    given_activity_score: given.activity_score,
    given_identity_score: given.identity_score,
    given_skills_score: given.skills_score,
    later_fields: toLaterText(record),
  }
}

/** The record of a passport; the reader adds its credentials and data points. */
export function toRecord(row: StoredRow): PassportRecord {
  const givenScores = toGivenScores(row)
  return {
    ...toPassport(row),
    ...fromLaterText(row.later_fields),
    socials: JSON.parse(row.socials),
    ...(row.merged_into !== null && { mergedInto: row.merged_into }),
    ...(row.given_human !== row.human && { givenHuman: row.given_human === 1 }),
    ...(!Bun.deepEquals(givenScores, toScores(row)) && { givenScores }),
    ...(row.rules !== '' && { rules: row.rules }),
  }
}

export type DataPointRow = {
  passport_id: number
  type: string
  account: string
  kind: RawValue['kind']
  amount: number
  display: string
  earned_at: number | null
  issuer: string
  added_at: number
  /** The folded account; empty if it is unknown. */
  account_key: string
  written_for: number | null
}

export function toDataPointRow(
  passportId: number,
  { value, earnedAt, issuer = '', addedAt = 0, writtenFor, ...point }: DataPoint,
): DataPointRow {
  return {
    passport_id: passportId,
    ...point,
    ...value,
    earned_at: earnedAt ?? null,
    issuer,
    added_at: addedAt,
    account_key: accountKeyOf(point.account),
    written_for: writtenFor ?? null,
  }
}

export function toDataPoint(row: DataPointRow): DataPoint {
  return {
    type: row.type,
    account: row.account,
    value: { kind: row.kind, amount: row.amount },
    display: row.display,
    ...(row.earned_at !== null && { earnedAt: row.earned_at }),
    ...(row.issuer !== '' && { issuer: row.issuer }),
    ...(row.added_at !== 0 && { addedAt: row.added_at }),
    ...(row.written_for !== null && { writtenFor: row.written_for }),
  }
}
