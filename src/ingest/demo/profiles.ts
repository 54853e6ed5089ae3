import type { Profile } from '../../domain/passport.ts'
import type { Person } from './people.ts'
import type { Random } from './random.ts'

const VERBS = ['Builds', 'Designs', 'Repairs', 'Teaches people to make', 'Writes about', 'Collects']
const THINGS =
  `kites, paper boats, tea houses, lighthouses, music boxes, maps of clouds, wind chimes, tide clocks,
  folding bridges, pocket telescopes, night gardens, slow trains`
    .split(',')
    .map((thing) => thing.trim())
const WISHES = [
  'Happy to help newcomers.',
  'Ships small things often.',
  'Looking for people to build with.',
  'Mostly offline on Sundays.',
  'Open source by default.',
  'Ask me about governance.',
]
const PLACES =
  `Lisbon, São Paulo, Lagos, Kraków, Hà Nội, 東京, Reykjavík, Łódź, Nairobi, Montréal, Berlin, Bengaluru,
  Buenos Aires, Seoul, Cape Town, İstanbul`
    .split(',')
    .map((place) => place.trim())
const TAGS =
  'builder designer founder researcher writer solidity community zk data frontend security educator'.split(
    ' ',
  )

/** Most people have a biography, a place and tags. */
export function enrichProfile({ id, profile }: Person, random: Random): Profile {
  const wish = random.chance(0.5) ? ` ${random.pick(WISHES)}` : ''
  const bio = `Invented person no. ${id}. ${random.pick(VERBS)} ${random.pick(THINGS)}.${wish}`
  const place = random.pick(PLACES)
  const tags = random.sample(TAGS, random.whole(1, 4))
  return {
    ...profile,
    bio: random.chance(0.88) ? bio : '',
    location: profile.location || (random.chance(0.65) ? place : ''),
    tags: profile.tags.length > 0 || random.chance(0.2) ? profile.tags : tags,
  }
}
