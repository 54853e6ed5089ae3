import { roundScore } from '../../domain/credential.ts'
import type { FullPassport, Passport } from '../../domain/passport.ts'
import { foldWallet } from '../../domain/wallet.ts'
import type { PassportRecord } from '../store.ts'

export type PassportRow = {
  id: number
  score: number
  activity_score: number
  identity_score: number
  skills_score: number
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

export function toPassport(row: PassportRow): Passport {
  return {
    id: row.id,
    scores: {
      total: row.score,
      activity: row.activity_score,
      identity: row.identity_score,
      skills: row.skills_score,
    },
    stale: row.stale === 1,
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

export function toRow(record: PassportRecord): Omit<FullPassportRow, 'merged'> {
  return {
    id: record.id,
    score: roundScore(record.scores.total),
    activity_score: roundScore(record.scores.activity),
    identity_score: roundScore(record.scores.identity),
    skills_score: roundScore(record.scores.skills),
    stale: Number(record.stale),
    calculated_at: record.calculatedAt,
    human: Number(record.human),
    connections: record.connections,
    main_wallet: foldWallet(record.mainWallet),
    verified_wallets: JSON.stringify(record.verifiedWallets.map(foldWallet)),
    display_name: record.profile.displayName,
    bio: record.profile.bio,
    location: record.profile.location,
    tags: JSON.stringify(record.profile.tags),
    socials: JSON.stringify(record.socials),
    merged_into: record.mergedInto ?? null,
  }
}
