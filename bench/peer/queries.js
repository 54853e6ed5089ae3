const LISTED = `p.id::float8 as passport_id, p.score, p.activity_score, p.identity_score, p.skills_score,
  p.calculating_score, p.connections_count, p.human_checkmark, p.last_calculated_at, p.main_wallet,
  p.display_name, p.bio, p.location,
  array(select tag from tags where passport_id = p.id order by position) as tags,
  array(select address from wallets where passport_id = p.id order by position) as verified_wallets`

const SOCIALS = `coalesce((select json_agg(json_build_object(
    'follower_count', followers, 'following_count', following, 'location', location, 'profile_bio', bio,
    'profile_display_name', display_name, 'profile_image_url', image_url, 'profile_name', name,
    'profile_url', url, 'source', source) order by position)
  from socials where passport_id = p.id), '[]') as passport_socials`

/** The ids of the page come first, of a list from the index alone; rows are read for them only. */
const page = (where) => `select ${LISTED} from passports p
  where p.id = any(array(select id from passports ${where} order by score desc, id limit $1 offset $2))
  order by p.score desc, p.id`

/** Named, so that pg prepares each once on each connection. */
export const QUERIES = {
  key: 'select name from api_keys where hash = $1',
  byId: `select ${LISTED}, ${SOCIALS} from passports p where p.id = $1`,
  byWallet: `select ${LISTED}, ${SOCIALS} from wallets w join passports p on p.id = w.passport_id where w.address = $1`,
  list: page(''),
  count: 'select count(*)::float8 as total from passports',
  credentials: `select id, type, name, category, score, max_score, value, earned_at, calculated_at
    from credentials where passport_id = $1 order by score desc, name, id`,
  exists: 'select 1 from passports where id = $1',
}

/** Planned each time: the best plan for a rare keyword is the worst for a common one, and the other way round. */
export const SEARCHES = {
  page: page('where search_name like $3'),
  count: 'select count(*)::float8 as total from passports where search_name like $1',
}
