/** The largest JSON of each field in bytes (UTF-8), so that no page of 250 passports exceeds 8 MB in V1 and 12 MB in V2. */
export const MAX_BYTES = {
  'passport_profile.bio': 10_000,
  'passport_profile.display_name': 4000,
  'passport_profile.location': 1000,
  'passport_profile.tags': 6000,
  image_url: 2000,
  verified_wallets: 8000,
  passport_socials: 200_000,
  credentials: 400_000,
  data_points: 400_000,
} as const

/** The fields in a list page of V1 together, with wallet, scores and names. */
export const MAX_LIST_ITEM_BYTES = 32_000

/** The data points of one passport, from all records. */
export const MOST_DATA_POINTS = 2000

/** With the credentials that rules add. */
export const MAX_CREDENTIALS_BYTES = 640_000
