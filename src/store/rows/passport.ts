import { roundScore } from '../../domain/credential.ts'
import type { FullPassport, Passport, Scores } from '../../domain/passport.ts'
import type { PassportRecord } from '../../domain/record.ts'
import { foldWallet } from '../../domain/wallet.ts'

/** The columns that the list shows. */
export const LISTED = `id, score, activity_score, identity_score, skills_score, stale, calculated_at, human, connections,
  main_wallet, verified_wallets, display_name, bio, location, tags`

/** Everything that is kept of a passport. */
export const STORED = `${LISTED}, socials, merged_into, given_human, fingerprint, rules`
export const STORED_COLUMNS = STORED.split(',').map((column) => column.trim())

export type ScoreRow = {
  score: number
  activity_score: number
  identity_score: number
  skills_score: number
}

export type PassportRow = ScoreRow & {
  id: number
  /** 1: waits for a scorer. 2: could not be scored, and waits for a change. */
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
}

export type FullPassportRow = PassportRow & { socials: string; merged_into: number | null; merged: number }

export type StoredRow = Omit<FullPassportRow, 'merged'> & {
  given_human: number
  fingerprint: string
  rules: string
}

export function toScores(row: ScoreRow): Scores {
  return {
    total: row.score,
    activity: row.activity_score,
    identity: row.identity_score,
    skills: row.skills_score,
  }
}

export function toScoreRow(scores: Scores): ScoreRow {
  return {
    score: roundScore(scores.total),
    activity_score: roundScore(scores.activity),
    identity_score: roundScore(scores.identity),
    skills_score: roundScore(scores.skills),
  }
}

export function toPassport(row: PassportRow): Passport {
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

export function toFullPassport(row: FullPassportRow): FullPassport {
  return { ...toPassport(row), socials: JSON.parse(row.socials), merged: row.merged === 1 }
}

/** The columns that come from the record alone. */
export function toRecordRow(record: PassportRecord) {
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
  }
}

/** A passport as it would be handed in again; its credentials and data points are added by the reader. */
export function toRecord(row: StoredRow): PassportRecord {
  const { id, scores, stale, calculatedAt, connections, mainWallet, verifiedWallets, profile } =
    toPassport(row)
  return {
    id,
    scores,
    stale,
    calculatedAt,
    human: row.human === 1,
    connections,
    mainWallet,
    verifiedWallets,
    profile,
    socials: JSON.parse(row.socials),
    ...(row.merged_into !== null && { mergedInto: row.merged_into }),
    ...(row.given_human !== row.human && { givenHuman: row.given_human === 1 }),
    ...(row.rules !== '' && { rules: row.rules }),
  }
}
