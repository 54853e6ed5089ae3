import type { Credential } from '../domain/credential.ts'
import type { DataPoint, RawValue } from '../domain/data-point.ts'
import type { Social } from '../domain/passport.ts'
import type { PassportRecord } from '../domain/record.ts'
import type { Store } from '../store/store.ts'
import type { CredentialLine, PassportLine, PointLine, SocialLine } from './record-format.ts'

const BATCH = 500

export type ExportedLines = { text: string; records: number }

/** Every passport, and every removal, as lines that an import takes in again; some at a time, by id. */
export async function* exportRecords(store: Store): AsyncGenerator<ExportedLines> {
  // First: a removal takes those merged into the passport along, and must not do so to the ones below.
  const removals = await store.records.listRemovals()
  const text = removals.map((id) => `${JSON.stringify({ passport_id: id, removed: true })}\n`).join('')
  if (text !== '') yield { text, records: removals.length }
  for (let after = -1; ; ) {
    const records = await store.records.list(after, BATCH)
    const last = records.at(-1)
    if (last === undefined) break
    const lines = records.map((record) => `${JSON.stringify(presentRecord(record))}\n`)
    yield { text: lines.join(''), records: records.length }
    after = last.id
  }
}

export function presentRecord(record: PassportRecord): PassportLine {
  return {
    passport_id: record.id,
    activity_score: record.scores?.activity ?? 0,
    identity_score: record.scores?.identity ?? 0,
    skills_score: record.scores?.skills ?? 0,
    score: record.scores?.total ?? 0,
    calculating_score: record.stale ?? false,
    connections_count: record.connections,
    human_checkmark: record.human,
    last_calculated_at: instant(record.calculatedAt),
    main_wallet: record.mainWallet,
    passport_profile: {
      bio: record.profile.bio,
      display_name: record.profile.displayName,
      location: record.profile.location,
      tags: record.profile.tags,
    },
    verified_wallets: record.verifiedWallets,
    passport_socials: record.socials.map(presentSocial),
    // An empty list would say that there are none, and the scores would be taken for nothing.
    ...(record.credentials?.length && { credentials: record.credentials.map(presentCredential) }),
    ...(record.dataPoints?.length && { data_points: record.dataPoints.map(presentPoint) }),
    ...(record.mergedInto !== undefined && { merged_into: record.mergedInto }),
    ...(record.rules !== undefined && { rules: record.rules }),
    ...(record.givenHuman !== undefined && { human_in_record: record.givenHuman }),
  }
}

function presentCredential(credential: Credential): CredentialLine {
  return {
    id: credential.id,
    earned_at: instant(credential.earnedAt),
    category: credential.category,
    last_calculated_at: instant(credential.calculatedAt),
    max_score: credential.maxScore,
    score: credential.givenScore ?? credential.score,
    name: credential.name,
    type: credential.type,
    value: credential.value,
    ...(credential.givenScore === undefined && { derived: true }),
    ...(credential.superseded && { superseded: true }),
  }
}

function presentPoint({ type, account, value, display, earnedAt }: DataPoint): PointLine {
  return { type, value: presentRawValue(value), account, display, earned_at: instant(earnedAt) }
}

function presentRawValue({ kind, amount }: RawValue): PointLine['value'] {
  if (kind === 'flag') return amount === 1
  return kind === 'number' ? amount : new Date(amount).toISOString()
}

function presentSocial(social: Social): SocialLine {
  return {
    follower_count: social.followers,
    following_count: social.following,
    location: social.location,
    profile_bio: social.bio,
    profile_display_name: social.displayName,
    profile_image_url: social.imageUrl,
    profile_name: social.name,
    profile_url: social.url,
    source: social.source,
  }
}

const instant = (time: number | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString()
