import { type Credential, sumScores } from '../credential.ts'
import type { DataPoint } from '../data-point.ts'
import type { FullPassport, Passport, PassportRef, Scores, Social } from '../passport.ts'
import type { WireCredential, WireListedPassport, WirePassport, WireSocial } from './passport-schemas.ts'

/** Fields of a record that only V2 shows. A field is absent if its value is unknown. */
export type LaterFields = {
  imageUrl?: string | undefined
  /** Epoch milliseconds. */
  mainWalletChangedAt?: number | undefined
  nominations?: number | undefined
}

/** An imported passport. A field is absent if the source does not know its value. */
export type PassportRecord = Pick<
  Passport,
  'id' | 'human' | 'connections' | 'mainWallet' | 'verifiedWallets' | 'profile'
> &
  LaterFields & {
    socials: Social[]
    /** The original value of `human` in the record; present only if scoring changed it. */
    givenHuman?: boolean
    scores?: Scores
    stale?: boolean
    calculatedAt?: number
    /** If absent, the stored credentials are kept. */
    credentials?: Credential[]
    /** If absent, the stored data points are kept. */
    dataPoints?: DataPoint[]
    /** Data points made from credentials without a score; replaced together with the credentials. */
    credentialPoints?: DataPoint[]
    mergedInto?: number
    rules?: string
  }

export type IncomingRecord =
  | {
      kind: 'passport'
      passport: PassportRecord
      /** The imported bytes. Their hash shows whether the record was imported before. */
      sourceBytes?: Uint8Array
    }
  /** A raw fact about a stored passport. */
  | { kind: 'data-point'; passport: PassportRef; point: DataPoint }
  | { kind: 'removal'; id: number }

/** Whether the scores equal the sums of the credentials. If not, they must be calculated again. */
export function addsUp(record: PassportRecord): boolean {
  const { scores, credentials, dataPoints, credentialPoints, rules } = record
  // These data points are not part of the scores, because no rule set has scored them.
  if (credentialPoints?.length || (dataPoints?.length && rules === undefined)) return false
  // Without credentials there is nothing to compare.
  if (!credentials?.length) return true
  if (scores === undefined) return false
  const sums = sumScores(credentials)
  // The total may be below the sum, because a rule set may cap a category.
  const isSame = (part: keyof Scores) => scores[part] === sums[part]
  return isSame('activity') && isSame('identity') && isSame('skills') && scores.total <= sums.total
}

/** Serializes the fields for the database. Returns "" if all of them are absent. */
export function toLaterText({ imageUrl, mainWalletChangedAt, nominations }: LaterFields): string {
  const text = JSON.stringify({ imageUrl, mainWalletChangedAt, nominations })
  return text === '{}' ? '' : text
}

/** Parses the text of `toLaterText`. */
export const fromLaterText = (text: string): LaterFields => (text === '' ? {} : JSON.parse(text))

/** Returns the fields as V2 shows them. The image is the first valid one of the record and its socials. */
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

/** Caches the last formatted time, because most credentials of a passport have the same time. */
let last = { milliseconds: 0, text: '1970-01-01T00:00:00.000Z' }

function presentInstant(milliseconds: number): string {
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
