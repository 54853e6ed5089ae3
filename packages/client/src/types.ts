/** The self-description of a person; unknown text is empty. */
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

/** A person's reputation record, as listed. */
export type ListedPassport = {
  activity_score: number
  identity_score: number
  skills_score: number
  /** The overall score; the list is sorted by it. */
  score: number
  /** True while a new score is being calculated; until then the old scores are served. */
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

/** A person's complete reputation record. */
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
  /** A machine-readable type such as `active_wallet`; an open set. */
  type: string
  value: string
}

/** The position of a page in the list. */
export type Pagination = { current_page: number; last_page: number; total: number }

export type PassportPage = { passports: ListedPassport[]; pagination: Pagination }
