import type { Profile } from '../../domain/passport.ts'
import { type Person, PLACES, TAGS, TRADES } from './people.ts'
import type { Random } from './random.ts'

const VERBS = ['Builds', 'Designs', 'Repairs', 'Teaches people to make', 'Writes about', 'Collects']
const THINGS = [
  ...TRADES,
  'tide clocks',
  'folding bridges',
  'pocket telescopes',
  'night gardens',
  'slow trains',
]
const WISHES = [
  'Happy to help beginners.',
  'Ships small things often.',
  'Looking for people to build with.',
  'Mostly offline on Sundays.',
  'Open source by default.',
  'Ask me about governance.',
]
const MORE_PLACES = [...PLACES, 'Berlin', 'Bengaluru', 'Buenos Aires', 'Seoul', 'Cape Town', 'İstanbul']
const MORE_TAGS = [...TAGS, 'frontend', 'security', 'educator']

/** Most people have a biography, a place and tags. */
export function enrichProfile({ id, profile }: Person, random: Random): Profile {
  const wish = random.chance(0.5) ? ` ${random.pick(WISHES)}` : ''
  const bio = `Invented person no. ${id}. ${random.pick(VERBS)} ${random.pick(THINGS)}.${wish}`
  const place = random.pick(MORE_PLACES)
  const tags = random.sample(MORE_TAGS, random.whole(1, 4))
  return {
    ...profile,
    bio: random.chance(0.88) ? bio : '',
    location: profile.location || (random.chance(0.65) ? place : ''),
    tags: profile.tags.length > 0 || random.chance(0.2) ? profile.tags : tags,
  }
}
