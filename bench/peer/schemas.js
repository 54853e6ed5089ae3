const text = { type: 'string' }
const number = { type: 'number' }
const flag = { type: 'boolean' }
const listOf = (items) => ({ type: 'array', items })
const shape = (properties) => ({ type: 'object', properties })

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

const passport = shape({
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
  merged: flag,
  passport_socials: listOf(social),
})

// Fastify compiles the schema to a serializer, which is faster than JSON.stringify.
export const PASSPORT = { response: { 200: shape({ passport }) } }
