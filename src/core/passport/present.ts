import { type Credential, roundScore } from './credential.ts'
import type { FullPassport, Passport, Social } from './passport.ts'
import type { LaterFields } from './record.ts'
import type { WireCredential, WireListedPassport, WirePassport, WireSocial } from './wire-schemas.ts'

/** Serializes the fields for the database; empty if no field is known. */
export function toLaterText({ imageUrl, mainWalletChangedAt, nominations }: LaterFields): string {
  const text = JSON.stringify({ imageUrl, mainWalletChangedAt, nominations })
  return text === '{}' ? '' : text
}

/** Parses the text of `toLaterText`. */
export const fromLaterText = (text: string): LaterFields => (text === '' ? {} : JSON.parse(text))

/** Returns the fields as V2 shows them. The image is that of the record, or else the first image of the socials. */
export function toShownFields(later: LaterFields, socials: readonly Social[]): LaterFields {
  const images = [later.imageUrl ?? '', ...socials.map(({ imageUrl }) => imageUrl)]
  return { ...later, imageUrl: images.find(isImageUrl) }
}

export const MAX_IMAGE_URL_BYTES = 2000

/** Sources also send paths and `data:` URLs. */
const isImageUrl = (text: string): boolean =>
  /^https?:\/\/\S+$/i.test(text) &&
  URL.canParse(text) &&
  Buffer.byteLength(JSON.stringify(text)) <= MAX_IMAGE_URL_BYTES

export function presentListedPassport(passport: Passport): WireListedPassport {
  return {
    activity_score: passport.scores.activity,
    identity_score: passport.scores.identity,
    skills_score: passport.scores.skills,
    score: passport.scores.total,
    calculating_score: passport.stale,
    connections_count: passport.connections,
    human_checkmark: passport.human,
    last_calculated_at: presentInstant(passport.calculatedAt),
    main_wallet: passport.mainWallet,
    passport_id: passport.id,
    passport_profile: {
      bio: passport.profile.bio,
      display_name: passport.profile.displayName,
      location: passport.profile.location,
      tags: passport.profile.tags,
    },
    verified_wallets: passport.verifiedWallets,
  }
}

export function presentPassport(passport: FullPassport): WirePassport {
  return { ...presentListedPassport(passport), ...presentUnlistedFields(passport) }
}

/** The fields that only the single-passport response has. */
export function presentUnlistedFields({ merged, socials }: FullPassport) {
  return { merged, passport_socials: socials.map(presentSocial) }
}

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

/** The last formatted time, because most credentials of a passport have the same time. */
let last = { milliseconds: 0, text: '1970-01-01T00:00:00.000Z' }

export function presentInstant(milliseconds: number): string {
  if (milliseconds !== last.milliseconds) last = { milliseconds, text: new Date(milliseconds).toISOString() }
  return last.text
}

function readInstant(text: string): number {
  if (text !== last.text) last = { milliseconds: Date.parse(text), text }
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
    ...(credential.earned_at !== '' && { earnedAt: Date.parse(credential.earned_at) }),
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
