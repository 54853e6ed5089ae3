const text = { type: 'string' }
const number = { type: 'number' }
const flag = { type: 'boolean' }
const listOf = (items) => ({ type: 'array', items })
const shape = (properties) => ({ type: 'object', properties })

const listed = {
  activity_score: number,
  identity_score: number,
  skills_score: number,
  score: number,
  calculating_score: flag,
  connections_count: number,
  human_checkmark: flag,
  last_calculated_at: text,
  main_wallet: text,
  passport_id: number,
  passport_profile: shape({ bio: text, display_name: text, location: text, tags: listOf(text) }),
  verified_wallets: listOf(text),
}

const social = shape({
  follower_count: text,
  following_count: text,
  location: text,
  profile_bio: text,
  profile_display_name: text,
  profile_image_url: text,
  profile_name: text,
  profile_url: text,
  source: text,
})

const credential = shape({
  id: text,
  earned_at: text,
  category: text,
  last_calculated_at: text,
  max_score: number,
  score: number,
  name: text,
  type: text,
  value: text,
})

const answer = (properties) => ({ response: { 200: shape(properties) } })

// Fastify makes a serializer of each, which is quicker than JSON.stringify.
export const PASSPORT = answer({
  passport: shape({ ...listed, merged: flag, passport_socials: listOf(social) }),
})
export const LIST = answer({
  passports: listOf(shape(listed)),
  pagination: shape({ current_page: number, last_page: number, total: number }),
})
export const CREDENTIALS = answer({ passport_credentials: listOf(credential) })
