/** What a person says of themselves; unknown text is empty. */
export type PassportProfile = { bio: string; display_name: string; location: string; tags: string[] }

/** A linked social profile; unknown text is empty. */
export type PassportSocial = {
  /** A string, not a number. */
  follower_count: string
  /** A string, not a number. */
  following_count: string
  location: string
  profile_bio: string
  profile_display_name: string
  profile_image_url: string
  profile_name: string
  profile_url: string
  /** The social network, such as `lens`; an open set. */
  source: string
}

/** A person's reputation record, as the list shows it. */
export type ListedPassport = {
  activity_score: number
  identity_score: number
  skills_score: number
  /** The overall score; the list is sorted by it. */
  score: number
  /** True while a new score is being worked out; the old scores are served meanwhile. */
  calculating_score: boolean
  connections_count: number
  human_checkmark: boolean
  /** A date-time. */
  last_calculated_at: string
  main_wallet: string
  passport_id: number
  passport_profile: PassportProfile
  verified_wallets: string[]
}

/** A person's reputation record, whole. */
export type Passport = ListedPassport & {
  /** True if another passport was merged into this one. */
  merged: boolean
  passport_socials: PassportSocial[]
}

/** A scored item of a passport. */
export type Credential = {
  id: string
  /** A date-time; empty if unknown. */
  earned_at: string
  category: string
  /** A date-time. */
  last_calculated_at: string
  max_score: number
  score: number
  name: string
  /** For programs, such as `active_wallet`; an open set. */
  type: string
  value: string
}

/** Where a page lies in the list. */
export type Pagination = { current_page: number; last_page: number; total: number }

export type PassportPage = { passports: ListedPassport[]; pagination: Pagination }
