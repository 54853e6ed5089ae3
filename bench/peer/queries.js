const PASSPORT = `p.id::float8 as passport_id, p.score, p.activity_score, p.identity_score, p.skills_score,
  p.calculating_score, p.connections_count, p.human_checkmark, p.last_calculated_at, p.main_wallet,
  p.display_name, p.bio, p.location,
  array(select tag from tags where passport_id = p.id order by position) as tags,
  array(select address from wallets where passport_id = p.id order by position) as verified_wallets,
  coalesce((select json_agg(json_build_object(
    'follower_count', followers, 'following_count', following, 'location', location, 'profile_bio', bio,
    'profile_display_name', display_name, 'profile_image_url', image_url, 'profile_name', name,
    'profile_url', url, 'source', source) order by position)
  from socials where passport_id = p.id), '[]') as passport_socials`

/** pg prepares each named query once per connection. */
export const QUERIES = {
  key: 'select name from api_keys where hash = $1',
  byId: `select ${PASSPORT} from passports p where p.id = $1`,
  byWallet: `select ${PASSPORT} from wallets w join passports p on p.id = w.passport_id where w.address = $1`,
}
