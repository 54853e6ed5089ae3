import Type, { type Static } from 'typebox'

const closed = { additionalProperties: false }
const score = (description: string) => Type.Number({ description, minimum: 0 })
const instant = (description: string) => Type.String({ description, format: 'date-time' })

export const PassportProfile = Type.Object(
  {
    bio: Type.String({ description: 'Empty if unknown' }),
    display_name: Type.String({ description: 'The name that `keyword` searches' }),
    location: Type.String({ description: 'Empty if unknown' }),
    tags: Type.Array(Type.String()),
  },
  { ...closed, description: 'What a person says of themselves' },
)

export const PassportSocial = Type.Object(
  {
    follower_count: Type.String({ description: 'A string, not a number' }),
    following_count: Type.String({ description: 'A string, not a number' }),
    location: Type.String(),
    profile_bio: Type.String(),
    profile_display_name: Type.String(),
    profile_image_url: Type.String(),
    profile_name: Type.String(),
    profile_url: Type.String(),
    source: Type.String({ description: 'The social network, such as `lens`; an open set' }),
  },
  { ...closed, description: 'A linked social profile; unknown text is empty' },
)

export const ListedPassport = Type.Object(
  {
    activity_score: score('Sum of the scores of the credentials in the category Activity'),
    identity_score: score('Sum of the scores of the credentials in the category Identity'),
    skills_score: score('Sum of the scores of the credentials in the category Skills'),
    score: score('The overall score; the list is sorted by it'),
    calculating_score: Type.Boolean({
      description: 'True while a new score is being worked out; the old scores are served meanwhile',
    }),
    connections_count: Type.Integer({ minimum: 0 }),
    human_checkmark: Type.Boolean({ description: 'True if the person is known to be one' }),
    last_calculated_at: instant('Before the first calculation, when the passport was first recorded'),
    main_wallet: Type.String({ description: 'A wallet address; `0x` addresses are in lower case' }),
    passport_id: Type.Integer({ minimum: 0 }),
    passport_profile: PassportProfile,
    verified_wallets: Type.Array(Type.String(), { description: 'Wallet addresses' }),
  },
  { ...closed, description: "A person's reputation record, as the list shows it" },
)

export const Passport = Type.Object(
  {
    ...ListedPassport.properties,
    merged: Type.Boolean({ description: 'True if another passport was merged into this one' }),
    passport_socials: Type.Array(PassportSocial),
  },
  { ...closed, description: "A person's reputation record, whole" },
)

export const Credential = Type.Object(
  {
    id: Type.String({ description: 'Opaque' }),
    earned_at: Type.String({ description: 'A date-time; empty if unknown' }),
    category: Type.String({
      description: 'Activity, Identity or Skills; a credential of another category counts toward no score',
    }),
    last_calculated_at: instant('When the score was last worked out'),
    max_score: score('The most that a credential of this type can score'),
    score: score('What this one scores'),
    name: Type.String({ description: 'For people' }),
    type: Type.String({ description: 'For programs, such as `active_wallet`; an open set' }),
    value: Type.String({ description: 'What the score was worked out from, for people' }),
  },
  { ...closed, description: 'A scored item of a passport' },
)

export const Pagination = Type.Object(
  {
    current_page: Type.Integer({ minimum: 1, description: 'As asked for, also past the last page' }),
    last_page: Type.Integer({ minimum: 1, description: '1 if nothing matches' }),
    total: Type.Integer({ minimum: 0, description: 'How many passports match, on all pages' }),
  },
  { ...closed, description: 'Where a page lies in the list' },
)

export const PassportListBody = Type.Object(
  { passports: Type.Array(ListedPassport), pagination: Pagination },
  closed,
)

export const PassportBody = Type.Object({ passport: Passport }, closed)

export const CredentialListBody = Type.Object({ passport_credentials: Type.Array(Credential) }, closed)

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'A sentence for the caller' }),
    code: Type.String({ description: 'Stable, for programs' }),
    request_id: Type.String({ description: 'Names this request in the log of the service' }),
  },
  { ...closed, description: 'Every error, on every path' },
)

export type WireSocial = Static<typeof PassportSocial>
export type WireListedPassport = Static<typeof ListedPassport>
export type WirePassport = Static<typeof Passport>
export type WireCredential = Static<typeof Credential>
