import type { Awaitable } from '../../basics/awaitable.ts'
import type { PassportV3 } from '../../history/passport-state.ts'
import type { ScoreField } from '../../lists/list-request.ts'
import { roundScore } from '../../passport/credential.ts'
import type { DataPoint, RawValue } from '../../passport/data-point.ts'
import {
  accountKeyOf,
  foldWallet,
  NO_SCORES,
  type Passport,
  type PassportKey,
  type Profile,
  type Scores,
  type Social,
} from '../../passport/passport.ts'
import {
  presentLaterFields,
  presentProfile,
  presentSocial,
  readLaterFields,
  readProfile,
  readSocial,
  type WireLaterFields,
} from '../../passport/present.ts'
import type { PassportRecord } from '../../passport/record.ts'
import type { WireProfile, WireSocial } from '../../passport/wire-schemas.ts'
import { type CredentialsRow, parseShown, readOrigins } from './credential.ts'

/** Limits the length of a chain of merges, so that a cycle is not followed forever. */
export const LONGEST_CHAIN = 1000

/** At most this many candidates are returned for an ambiguous handle. */
export const MOST_CANDIDATES = 10

/** A handle of more passports than this is ambiguous, even if all of them are merged into one. */
export const MOST_OWNERS = 32

/** Approximate limit of the bytes that one call of `v3.find` reads. The caller reads the rest in further calls. */
export const MAX_READ_BYTES = 512 * 1024

/** The results of the first keys, in order. A call may return fewer results than keys, but at least one. */
export type FindByKeys = (keys: readonly PassportKey[], options: FindOptions) => Awaitable<KeyResult[]>

/** The result for a key: a passport, the ids of several passports with the same handle, or `undefined`. */
export type KeyResult = { passport: PassportV3 } | { candidates: number[] } | undefined

/** What to read in addition to the passport. */
export type FindOptions = { credentials: boolean }

type ScoreRow = Record<ScoreField, number>
/** What the last record said and scoring never changes, in the record format. */
export type Given = ScoreRow & WireLaterFields & { human_checkmark: boolean }

export type ListedRow = ScoreRow & {
  id: number
  stale: number
  calculated_at: number
  human: number
  connections: number
  main_wallet: string
  verified_wallets: string
  profile: string
}

export type ShownRow = ListedRow & { socials: string; rules: string }

export type StoredRow = ShownRow & {
  merged_into: number | null
  fingerprint: string
  /** The JSON of `Given`. */
  given: string
  rescore_at: number | null
  hidden_at: number | null
}

export const LISTED_COLUMNS = `id, score, activity_score, identity_score, skills_score, stale, calculated_at, human,
  connections, main_wallet, verified_wallets, profile`

export const SHOWN_COLUMNS = `${LISTED_COLUMNS}, socials, rules`

/** Whether responses show it. A merged passport leads to its survivor. Records and scores of others go on, too. */
export const isVisible = (row: Pick<StoredRow, 'merged_into' | 'hidden_at'>): boolean =>
  row.merged_into === null && row.hidden_at === null

export const IS_VISIBLE = 'merged_into is null and hidden_at is null'

export const toScores = (row: ScoreRow): Scores => ({
  total: row.score,
  activity: row.activity_score,
  identity: row.identity_score,
  skills: row.skills_score,
})

export const readGiven = ({ given }: Pick<StoredRow, 'given'>): Given => JSON.parse(given)

export const parseProfile = (profile: string): Profile => readProfile(JSON.parse(profile) as WireProfile)

export const parseSocials = (socials: string): Social[] =>
  (JSON.parse(socials) as WireSocial[]).map(readSocial)

export const toScoreRow = ({ total, activity, identity, skills }: Scores): ScoreRow => ({
  score: roundScore(total),
  activity_score: roundScore(activity),
  identity_score: roundScore(identity),
  skills_score: roundScore(skills),
})

export function toPassport(row: ListedRow): Passport {
  return {
    id: row.id,
    scores: toScores(row),
    stale: row.stale !== 0,
    calculatedAt: row.calculated_at,
    human: row.human === 1,
    connections: row.connections,
    mainWallet: row.main_wallet,
    verifiedWallets: JSON.parse(row.verified_wallets),
    profile: parseProfile(row.profile),
  }
}

export function toPassportV3(
  row: ShownRow,
  mergedFrom: readonly number[],
  credentials: CredentialsRow | undefined,
): PassportV3 {
  return {
    ...toPassport(row),
    socials: parseSocials(row.socials),
    merged: mergedFrom.length > 0,
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
  const given: Given = {
    ...toScoreRow(record.givenScores ?? record.scores ?? NO_SCORES),
    human_checkmark: record.givenHuman ?? record.human,
    ...presentLaterFields(record),
  }
  return {
    id: record.id,
    connections: record.connections,
    main_wallet: foldWallet(record.mainWallet),
    verified_wallets: JSON.stringify(record.verifiedWallets.map(foldWallet)),
    profile: JSON.stringify(presentProfile(record.profile)),
    socials: JSON.stringify(record.socials.map(presentSocial)),
    given: JSON.stringify(given),
  }
}

/** The record of a passport; the reader adds its credentials and data points. */
export function toRecord(row: StoredRow): PassportRecord {
  const recorded = readGiven(row)
  const givenScores = toScores(recorded)
  return {
    ...toPassport(row),
    ...readLaterFields(recorded),
    socials: parseSocials(row.socials),
    ...(row.merged_into !== null && { mergedInto: row.merged_into }),
    ...(recorded.human_checkmark !== (row.human === 1) && { givenHuman: recorded.human_checkmark }),
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
