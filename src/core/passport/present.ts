import { readIsoTime } from '../basics/text/instant.ts'
import { type Credential, roundScore } from './credential.ts'
import type { Profile, Social } from './passport.ts'
import type { LaterFields } from './record.ts'
import type { WireCredential, WireProfile, WireSocial } from './wire-schemas.ts'

/** The fields of a record that only V2 shows. Unknown ones are absent. */
export type WireLaterFields = {
  image_url?: string
  main_wallet_changed_at?: string
  nominations_received_count?: number
}

export const presentLaterFields = (later: LaterFields): WireLaterFields => ({
  ...(later.imageUrl !== undefined && { image_url: later.imageUrl }),
  ...(later.mainWalletChangedAt !== undefined && {
    main_wallet_changed_at: presentInstant(later.mainWalletChangedAt),
  }),
  ...(later.nominations !== undefined && { nominations_received_count: later.nominations }),
})

/** The reverse of `presentLaterFields`. */
export const readLaterFields = (wire: WireLaterFields): LaterFields => ({
  ...(wire.image_url !== undefined && { imageUrl: wire.image_url }),
  ...(wire.main_wallet_changed_at !== undefined && {
    mainWalletChangedAt: readInstant(wire.main_wallet_changed_at),
  }),
  ...(wire.nominations_received_count !== undefined && { nominations: wire.nominations_received_count }),
})

export const presentProfile = ({ bio, displayName, location, tags }: Profile): WireProfile => ({
  bio,
  display_name: displayName,
  location,
  tags,
})

/** The reverse of `presentProfile`. */
export const readProfile = ({ bio, display_name, location, tags }: WireProfile): Profile => ({
  bio,
  displayName: display_name,
  location,
  tags,
})

export function presentCredential(credential: Credential): WireCredential {
  return {
    id: credential.id,
    earned_at: credential.earnedAt === undefined ? '' : new Date(credential.earnedAt).toISOString(),
    category: credential.category,
    last_calculated_at: presentInstant(credential.calculatedAt),
    max_score: credential.maxScore,
    score: credential.score,
    name: credential.name,
    type: credential.type,
    value: credential.value,
  }
}

/** A credential of a record. `derived`: a rule scored it, not the record. */
export type RecordCredential = Omit<WireCredential, 'score'> & {
  score: number | null
  derived?: boolean
  superseded?: boolean
  issuer?: string
}

export function presentRecordCredential(credential: Credential): RecordCredential {
  return {
    ...presentCredential(credential),
    score: credential.lacksScore ? null : (credential.givenScore ?? credential.score),
    ...(credential.givenScore === undefined && { derived: true }),
    ...(credential.superseded && { superseded: true }),
    ...(credential.issuer !== undefined && { issuer: credential.issuer }),
  }
}

export function presentSocial(social: Social): WireSocial {
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

/** The reverse of `presentSocial`. */
export function readSocial(wire: WireSocial): Social {
  return {
    source: wire.source,
    name: wire.profile_name,
    displayName: wire.profile_display_name,
    bio: wire.profile_bio,
    location: wire.location,
    url: wire.profile_url,
    imageUrl: wire.profile_image_url,
    followers: wire.follower_count,
    following: wire.following_count,
  }
}

/** The last formatted time, because most credentials of a passport have the same time. */
let last = { milliseconds: 0, text: '1970-01-01T00:00:00.000Z' }

export function presentInstant(milliseconds: number): string {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() }
  return last.text
}

function readInstant(text: string): number {
  if (text !== last.text) last = { milliseconds: readIsoTime(text), text }
  return last.milliseconds
}

/** The reverse of `presentCredential`. Fields that V1 does not have are lost. */
export function readCredential(credential: WireCredential): Credential {
  return {
    id: credential.id,
    type: credential.type,
    name: credential.name,
    category: credential.category,
    score: credential.score,
    maxScore: credential.max_score,
    value: credential.value,
    ...(credential.earned_at !== '' && { earnedAt: readIsoTime(credential.earned_at) }),
    calculatedAt: readInstant(credential.last_calculated_at),
  }
}

/** The reverse of `presentRecordCredential`. */
export function readRecordCredential({ derived, superseded, issuer, ...wire }: RecordCredential): Credential {
  const givenScore = wire.score ?? 0
  const credential = readCredential({ ...wire, score: givenScore })
  if (!derived) {
    credential.givenScore = givenScore
    credential.score = roundScore(Math.min(givenScore, credential.maxScore))
    if (wire.score === null) credential.lacksScore = true
  }
  if (superseded) credential.superseded = true
  if (issuer !== undefined) credential.issuer = issuer
  return credential
}
