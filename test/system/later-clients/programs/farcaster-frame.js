// The profile behind a Farcaster id, with a fallback for people without a name.
import axios from 'axios'

const { data } = await axios.get(`${process.env.API_URL}/profile`, {
  params: { id: process.argv[2], account_source: 'farcaster' },
  headers: { 'X-API-KEY': process.env.API_KEY },
})
const { profile } = data
console.log(
  JSON.stringify({
    title: profile.display_name || profile.name || 'Anonymous',
    picture: new URL(profile.image_url).protocol,
    points: profile.builder_score.points,
    tags: profile.tags.join(' '),
  }),
)
