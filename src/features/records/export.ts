import { isoTime } from '../../core/basics/text/instant.ts'
import { toJsonText } from '../../core/basics/text/quote.ts'
import type { Credential } from '../../core/passport/credential.ts'
import type { DataPoint, RawValue } from '../../core/passport/data-point.ts'
import { NO_SCORES, type Scores } from '../../core/passport/passport.ts'
import {
  presentLaterFields,
  presentProfile,
  presentRecordCredential,
  presentSocial,
} from '../../core/passport/present.ts'
import type { PassportRecord } from '../../core/passport/record.ts'
import type {
  CredentialLine,
  PassportLine,
  PointLine,
  ScoresLine,
} from '../../core/passport/record-format.ts'
import type { Store } from '../../core/store/store.ts'

const BATCH = 500

/** Yields all removals and passports as lines for an import, in batches ordered by id. */
export async function* exportRecords(store: Store) {
  // Removals come first, because importing a removal also removes the passports merged into the removed one.
  const removals = await store.records.listRemovals()
  const text = removals.map((id) => toJsonText({ passport_id: id, removed: true })).join('')
  if (text !== '') yield { text, records: removals.length }
  for (let after = -1; ; ) {
    const records = await store.records.list(after, BATCH)
    const last = records.at(-1)
    if (last === undefined) break
    const lines = records.map((record) => toJsonText(presentRecord(record)))
    yield { text: lines.join(''), records: records.length }
    after = last.id
  }
}

export function presentRecord(record: PassportRecord): PassportLine {
  const { scores = NO_SCORES } = record
  return {
    passport_id: record.id,
    activity_score: scores.activity,
    identity_score: scores.identity,
    skills_score: scores.skills,
    score: scores.total,
    calculating_score: record.stale ?? false,
    connections_count: record.connections,
    human_checkmark: record.human,
    last_calculated_at: isoTime(record.calculatedAt),
    main_wallet: record.mainWallet,
    passport_profile: presentProfile(record.profile),
    verified_wallets: record.verifiedWallets,
    passport_socials: record.socials.map(presentSocial),
    ...presentLaterFields(record),
    // An empty list is left out, because an import would take it for "no credentials" and reset the scores.
    ...(record.credentials?.length && { credentials: record.credentials.map(toCredentialLine) }),
    ...(record.dataPoints?.length && { data_points: record.dataPoints.map(toPointLine) }),
    ...(record.mergedInto !== undefined && { merged_into: record.mergedInto }),
    ...(record.rules !== undefined && { rules: record.rules }),
    ...(record.givenHuman !== undefined && { human_in_record: record.givenHuman }),
    ...(record.givenScores && { scores_in_record: toScoresLine(record.givenScores) }),
  }
}

const toScoresLine = ({ total, activity, identity, skills }: Scores): ScoresLine => ({
  score: total,
  activity_score: activity,
  identity_score: identity,
  skills_score: skills,
})

const toCredentialLine = (credential: Credential): CredentialLine => ({
  ...presentRecordCredential(credential),
  earned_at: isoTime(credential.earnedAt),
})

function toPointLine({ type, account, value, display, earnedAt, ...point }: DataPoint): PointLine {
  const { issuer, addedAt, writtenFor } = point
  return {
    ...{ type, value: toValue(value), account, display, earned_at: isoTime(earnedAt) },
    ...(issuer !== undefined && { issuer }),
    ...(addedAt !== undefined && { added_at: isoTime(addedAt) }),
    ...(writtenFor !== undefined && { written_for: writtenFor }),
  }
}

function toValue({ kind, amount }: RawValue): PointLine['value'] {
  if (kind === 'flag') return amount === 1
  return kind === 'number' ? amount : new Date(amount).toISOString()
}
