import Type from 'typebox'
import { closed, describedObject, orNull } from '../../core/basics/schema-helpers.ts'
import {
  ListedPassport,
  Passport,
  PassportProfile,
  PassportSocial,
} from '../../core/passport/wire-schemas.ts'
import { Pagination } from '../v1/schemas.ts'

const nullableCount = () =>
  orNull(Type.Integer({ minimum: 0 }), 'A number; null if it is unknown or its text is ambiguous')

export const PassportProfileV2 = describedObject('The self-description of a person', {
  ...PassportProfile.properties,
  image_url: Type.String({ description: 'URL of a picture; the card of the passport if it has no other' }),
  name: Type.String({ description: 'Same as `display_name`' }),
})

export const PassportSocialV2 = describedObject('A linked social profile; unknown text is empty', {
  ...PassportSocial.properties,
  follower_count: nullableCount(),
  following_count: nullableCount(),
})

export const PassportUser = describedObject('The person, as later clients read it', {
  id: Type.String({ description: 'The `passport_id` as a string' }),
  name: Type.String({ description: 'Same as `display_name`' }),
  email: Type.Null({ description: 'Always null' }),
  admin: Type.Literal(false, { description: 'Always false' }),
  profile_picture_url: Type.String({ description: 'Same as `image_url` of the profile' }),
})

const laterFields = {
  passport_profile: PassportProfileV2,
  verified: Type.Boolean({ description: 'Same as `human_checkmark`' }),
  main_wallet_changed_at: orNull(Type.String({ format: 'date-time' }), 'A date-time; null if unknown'),
  nominations_received_count: Type.Integer({ minimum: 0, description: '0 if unknown' }),
  user: PassportUser,
}

export const ListedPassportV2 = describedObject("A person's reputation record, as listed", {
  ...ListedPassport.properties,
  ...laterFields,
})

export const PassportV2 = describedObject("A person's complete reputation record", {
  ...Passport.properties,
  passport_socials: Type.Array(PassportSocialV2),
  ...laterFields,
})

export const PassportListBodyV2 = closed({ passports: Type.Array(ListedPassportV2), pagination: Pagination })

export const PassportBodyV2 = closed({ passport: PassportV2 })

export const HumanCheckmarkBody = closed({ human_checkmark: Type.Boolean() })
