import Type, { type Static } from 'typebox'
import { describedObject, instant, score } from '../basics/schema-helpers.ts'

export const PassportProfile = describedObject('The self-description of a person', {
  bio: Type.String({ description: 'Empty if unknown' }),
  display_name: Type.String({ description: 'The name that `keyword` searches' }),
  location: Type.String({ description: 'Empty if unknown' }),
  tags: Type.Array(Type.String()),
})

export const PassportSocial = describedObject('A linked social profile; unknown text is empty', {
  follower_count: Type.String({ description: 'A string, not a number' }),
  following_count: Type.String({ description: 'A string, not a number' }),
  location: Type.String(),
  profile_bio: Type.String(),
  profile_display_name: Type.String(),
  profile_image_url: Type.String(),
  profile_name: Type.String(),
  profile_url: Type.String(),
  source: Type.String({ description: 'The social network, such as `lens`; an open set' }),
})

export const ListedPassport = describedObject("A person's reputation record, as listed", {
  activity_score: score('Sum of the scores of the credentials in the category Activity'),
  identity_score: score('Sum of the scores of the credentials in the category Identity'),
  skills_score: score('Sum of the scores of the credentials in the category Skills'),
  score: score('The overall score; the list is sorted by it'),
  calculating_score: Type.Boolean({
    description: 'True while a new score is being calculated; the old scores are served until then',
  }),
  connections_count: Type.Integer({ minimum: 0 }),
  human_checkmark: Type.Boolean({ description: 'True if the person is known to be human' }),
  last_calculated_at: instant(
    'Time of the last calculation; before the first one, the time when the passport was first recorded',
  ),
  main_wallet: Type.String({ description: 'A wallet address; `0x` addresses are in lower case' }),
  passport_id: Type.Integer({ minimum: 0 }),
  passport_profile: PassportProfile,
  verified_wallets: Type.Array(Type.String(), { description: 'Wallet addresses' }),
})

export const Passport = describedObject("A person's complete reputation record", {
  ...ListedPassport.properties,
  merged: Type.Boolean({ description: 'True if another passport was merged into this one' }),
  passport_socials: Type.Array(PassportSocial),
})

export const Credential = describedObject('A scored item of a passport', {
  id: Type.String({ description: 'An opaque string' }),
  earned_at: Type.String({ description: 'A date-time; empty if unknown' }),
  category: Type.String({
    description: 'Activity, Identity or Skills; a credential of another category counts toward no score',
  }),
  last_calculated_at: instant('Time of the last calculation of the score'),
  max_score: score('The maximum score of a credential of this type'),
  score: score('The score of this credential'),
  name: Type.String({ description: 'Display name' }),
  type: Type.String({ description: 'A machine-readable type such as `active_wallet`; an open set' }),
  value: Type.String({ description: 'Display text of the fact that was scored' }),
})

export type WireProfile = Static<typeof PassportProfile>
export type WireSocial = Static<typeof PassportSocial>
export type WireCredential = Static<typeof Credential>
