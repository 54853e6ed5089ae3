import Type, { type Static } from 'typebox'
import { ListedPassport, Pagination, Passport, PassportProfile, PassportSocial } from '../v1/schemas.ts'

const closed = { additionalProperties: false }
const nullable = <T extends Type.TSchema>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const count = () =>
  nullable(Type.Integer({ minimum: 0 }), 'A number; null if it is unknown or its text is ambiguous')

export const PassportProfileV2 = Type.Object(
  {
    ...PassportProfile.properties,
    image_url: Type.String({ description: 'An `http` or `https` URL of a picture; empty if unknown' }),
    name: Type.String({ description: 'Same as `display_name`' }),
  },
  { ...closed, description: 'The self-description of a person' },
)

export const PassportSocialV2 = Type.Object(
  { ...PassportSocial.properties, follower_count: count(), following_count: count() },
  { ...closed, description: 'A linked social profile; unknown text is empty' },
)

export const PassportUser = Type.Object(
  {
    id: Type.String({ description: 'The `passport_id` as a string' }),
    name: Type.String({ description: 'Same as `display_name`' }),
    email: Type.Null({ description: 'Always null' }),
    admin: Type.Literal(false, { description: 'Always false' }),
    profile_picture_url: Type.String({ description: 'Same as `image_url` of the profile' }),
  },
  { ...closed, description: 'The person, as later clients read it' },
)

const laterFields = {
  passport_profile: PassportProfileV2,
  verified: Type.Boolean({ description: 'Same as `human_checkmark`' }),
  main_wallet_changed_at: nullable(Type.String({ format: 'date-time' }), 'A date-time; null if unknown'),
  nominations_received_count: Type.Integer({ minimum: 0, description: '0 if unknown' }),
  user: PassportUser,
}

export const ListedPassportV2 = Type.Object(
  { ...ListedPassport.properties, ...laterFields },
  { ...closed, description: "A person's reputation record, as listed" },
)

export const PassportV2 = Type.Object(
  { ...Passport.properties, passport_socials: Type.Array(PassportSocialV2), ...laterFields },
  { ...closed, description: "A person's complete reputation record" },
)

export const PassportListBodyV2 = Type.Object(
  { passports: Type.Array(ListedPassportV2), pagination: Pagination },
  closed,
)

export const PassportBodyV2 = Type.Object({ passport: PassportV2 }, closed)

export type WireSocialV2 = Static<typeof PassportSocialV2>
export type WireListedPassportV2 = Static<typeof ListedPassportV2>
export type WirePassportV2 = Static<typeof PassportV2>
