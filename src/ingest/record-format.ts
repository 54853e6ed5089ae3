import Type, { type Static } from 'typebox'
import { Credential, PassportSocial } from '../domain/v1/schemas.ts'

/** Unknown: null, or not there at all. */
const maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** More than any honest record has: what is taken in must also be shown. */
const LONGEST_TEXT = 20_000
const LONGEST_NAME = 1000
/** Rows are found by these, two of them together: an index of PostgreSQL has room for 2,704 bytes. */
const LONGEST_KEY = 250
const MOST = 2000

/** Sources have been seen to send numbers where text is due. */
const text = (longest: number) => Type.Union([Type.String({ maxLength: longest }), Type.Number()])
const MaybeText = maybe(text(LONGEST_TEXT))
const Texts = Type.Array(Type.Union([Type.String({ maxLength: LONGEST_TEXT }), Type.Number(), Type.Null()]), {
  maxItems: MOST,
})
const Score = Type.Number({ minimum: 0, maximum: 1_000_000_000 })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const ProfileLine = Type.Object({
  bio: MaybeText,
  display_name: maybe(text(LONGEST_NAME)),
  location: MaybeText,
  tags: maybe(Texts),
})

/** Every field of a V1 object as text. */
const texts = <T extends object>(properties: T) =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, MaybeText])) as Record<
    keyof T,
    typeof MaybeText
  >

const SocialLine = Type.Object(texts(PassportSocial.properties))

const CredentialLine = Type.Object({
  ...texts(Credential.properties),
  id: maybe(text(LONGEST_KEY)),
  earned_at: maybe(Type.String()),
  last_calculated_at: maybe(Type.String()),
  max_score: maybe(Score),
  score: maybe(Score),
  derived: maybe(Type.Boolean()),
  superseded: maybe(Type.Boolean()),
})

const pointFields = {
  type: Type.String({ minLength: 1, maxLength: LONGEST_KEY }),
  value: Type.Union([Type.Number(), Type.Boolean(), Type.String()]),
  account: maybe(text(LONGEST_KEY)),
  display: MaybeText,
  earned_at: maybe(Type.String()),
}
const PointLine = Type.Object(pointFields)

/** A raw fact about a passport that is there already. */
export const DataPointLine = Type.Object({
  passport: Type.Union([Count, Type.String({ minLength: 1 })]),
  ...pointFields,
})

/** The single-passport shape of V1, with its credentials; the fields after them are what an export adds. */
export const PassportLine = Type.Object({
  passport_id: Count,
  activity_score: maybe(Score),
  identity_score: maybe(Score),
  skills_score: maybe(Score),
  score: maybe(Score),
  calculating_score: maybe(Type.Boolean()),
  connections_count: maybe(Count),
  human_checkmark: maybe(Type.Boolean()),
  last_calculated_at: maybe(Type.String()),
  main_wallet: MaybeText,
  passport_profile: maybe(ProfileLine),
  verified_wallets: maybe(Texts),
  merged: maybe(Type.Boolean()),
  passport_socials: maybe(Type.Array(SocialLine, { maxItems: MOST })),
  credentials: maybe(Type.Array(CredentialLine, { maxItems: MOST })),
  data_points: maybe(Type.Array(PointLine, { maxItems: MOST })),
  merged_into: maybe(Count),
  rules: maybe(Type.String()),
  human_in_record: maybe(Type.Boolean()),
  removed: maybe(Type.Boolean()),
})

export type PassportLine = Static<typeof PassportLine>
export type DataPointLine = Static<typeof DataPointLine>
export type CredentialLine = Static<typeof CredentialLine>
export type PointLine = Static<typeof PointLine>
export type SocialLine = Static<typeof SocialLine>

const NESTED: Record<string, Type.TObject> = {
  passport_profile: ProfileLine,
  passport_socials: SocialLine,
  credentials: CredentialLine,
  data_points: PointLine,
}

/** Counts the fields that no schema names, at any depth. */
export function countUnknown(line: object, { properties }: Type.TObject): number {
  let count = 0
  for (const name in line) {
    const isKnown = Object.hasOwn(properties, name)
    const nested = isKnown ? NESTED[name] : undefined
    if (!isKnown) count++
    if (nested) {
      const value = (line as Record<string, object | object[] | null>)[name] ?? []
      for (const each of Array.isArray(value) ? value : [value]) count += countUnknown(each, nested)
    }
  }
  return count
}
