import Type, { type Static } from 'typebox'
import { Credential, Passport, PassportProfile, PassportSocial } from './wire-schemas.ts'

const maybe = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))

/** These limits exceed every value in known records. `LIMITS` in record-size.ts bounds the size of each whole field. */
const LONGEST_TEXT = 20_000
const LONGEST_NAME = 1000
/** An index entry contains two of these keys. In PostgreSQL, it holds at most 2,704 bytes. */
const LONGEST_KEY = 250
export const MOST_ENTRIES = 2000

/** Some sources send numbers in place of text. */
const text = (longest: number) => Type.Union([Type.String({ maxLength: longest }), Type.Number()])
const Score = Type.Number({ minimum: 0, maximum: 1_000_000_000 })
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** What an import accepts for a V1 value. */
type Lenient<T> = T extends string
  ? string | number
  : T extends (infer Item)[]
    ? (Item extends string ? string | number | null : Lenient<Item>)[]
    : T extends object
      ? { [Name in keyof T]?: Lenient<T[Name]> | null }
      : T

/** The schema of `Lenient`: every field of an object may be missing or null. */
function lenient(schema: Type.TSchema): Type.TSchema {
  if (Type.IsObject(schema)) return Type.Object(lenientFields(schema))
  if (Type.IsArray(schema)) {
    const items = lenient(schema.items)
    return Type.Array(Type.IsObject(items) ? items : Type.Union([items, Type.Null()]), {
      maxItems: MOST_ENTRIES,
    })
  }
  if (Type.IsString(schema)) return 'format' in schema ? Type.String() : text(LONGEST_TEXT)
  if (Type.IsNumber(schema)) return Score
  return Type.IsInteger(schema) ? Count : schema
}

type LenientFields<P extends Type.TProperties> = {
  [Name in keyof P]: Type.TOptional<Type.TUnsafe<Lenient<Static<P[Name]>> | null>>
}

const lenientFields = <P extends Type.TProperties>({ properties }: Type.TObject<P>) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, maybe(lenient(schema))]),
  ) as unknown as LenientFields<P>

const { score: total, activity_score, identity_score, skills_score } = lenientFields(Passport)
const ScoresLine = Type.Object({ score: total, activity_score, identity_score, skills_score })
const SocialLine = Type.Object(lenientFields(PassportSocial))
const ProfileLine = Type.Object({
  ...lenientFields(PassportProfile),
  display_name: maybe(text(LONGEST_NAME)),
  image_url: maybe(text(LONGEST_TEXT)),
  name: maybe(text(LONGEST_NAME)),
})
const CredentialLine = Type.Object({
  ...lenientFields(Credential),
  id: maybe(text(LONGEST_KEY)),
  earned_at: maybe(Type.String()),
  last_calculated_at: maybe(Type.String()),
  derived: maybe(Type.Boolean()),
  issuer: maybe(text(LONGEST_KEY)),
  superseded: maybe(Type.Boolean()),
})

const pointFields = {
  type: Type.String({ minLength: 1, maxLength: LONGEST_KEY }),
  value: Type.Union([Type.Number(), Type.Boolean(), Type.String()]),
  account: maybe(text(LONGEST_KEY)),
  display: maybe(text(LONGEST_NAME)),
  earned_at: maybe(Type.String()),
  issuer: maybe(text(LONGEST_KEY)),
  added_at: maybe(Type.String()),
}
const PointLine = Type.Object({ ...pointFields, written_for: maybe(Count) })

export const DataPointLine = Type.Object({
  passport: Type.Union([Count, Type.String({ minLength: 1 })]),
  ...pointFields,
  // Not needed to withdraw a data point.
  value: Type.Optional(pointFields.value),
  withdrawn: maybe(Type.Boolean()),
})

const { passport_id: _, ...passportFields } = lenientFields(Passport)

/** A passport in the single-passport shape of V1 or V2, plus its credentials and the fields that an export adds. */
export const PassportLine = Type.Object({
  passport_id: Count,
  ...passportFields,
  last_calculated_at: maybe(Type.String()),
  passport_profile: maybe(ProfileLine),
  credentials: maybe(Type.Array(CredentialLine, { maxItems: MOST_ENTRIES })),
  // Fields that V2 adds. `verified` and `user` are ignored, because they repeat other fields.
  image_url: maybe(text(LONGEST_TEXT)),
  main_wallet_changed_at: maybe(Type.String()),
  nominations_received_count: maybe(Count),
  verified: maybe(Type.Unknown()),
  user: maybe(Type.Unknown()),
  // Fields that an export adds.
  data_points: maybe(Type.Array(PointLine, { maxItems: MOST_ENTRIES })),
  merged_into: maybe(Count),
  rules: maybe(Type.String()),
  human_in_record: maybe(Type.Boolean()),
  scores_in_record: maybe(ScoresLine),
  removed: maybe(Type.Boolean()),
})

export type PointLine = Static<typeof PointLine>
export type DataPointLine = Static<typeof DataPointLine>
export type ScoresLine = Static<typeof ScoresLine>
export type SocialLine = Static<typeof SocialLine>
export type CredentialLine = Static<typeof CredentialLine>
export type PassportLine = Static<typeof PassportLine>

const NESTED: Record<string, Type.TObject> = {
  passport_profile: ProfileLine,
  scores_in_record: ScoresLine,
  passport_socials: SocialLine,
  credentials: CredentialLine,
  data_points: PointLine,
}

/** Counts unknown fields at every depth. */
export function countUnknown(line: object, { properties }: Type.TObject): number {
  let count = 0
  for (const name in line) {
    const isKnown = Object.hasOwn(properties, name)
    const nested = isKnown ? NESTED[name] : undefined
    if (!isKnown) count++
    if (nested) {
      const value = (line as Record<string, object | object[] | null>)[name] ?? []
      for (const item of Array.isArray(value) ? value : [value]) count += countUnknown(item, nested)
    }
  }
  return count
}
