import { foldName } from '../../src/core/basics/text/fold-name.ts'
import { sumScores } from '../../src/core/passport/credential.ts'
import type { ListingRow } from '../../src/core/store/sql/listing.ts'
import { toRow, typesOf } from '../../test/support/index/facets.ts'
import { createRandom, type Random } from '../../test/support/random.ts'
import { CREDENTIALS, manyPeople } from './data-set.ts'

type Person = ReturnType<typeof manyPeople> extends Generator<infer One> ? One : never

/** The rows of the people of the data sets, in the order of their ids. */
export function* listingRows(passports: number): Generator<ListingRow> {
  /** By the credentials: the people repeat, except for their ids, wallets and names. */
  const known = new Map<Person['credentials'], ListingRow>()
  for (const person of manyPeople(passports)) {
    const row = known.getOrInsertComputed(person.credentials, () => toListingRow(person))
    yield { ...row, id: person.id, name: foldName(person.profile.displayName) }
  }
}

function toListingRow({ id, profile, human, socials, ...person }: Person): ListingRow {
  const credentials = person.credentials.slice(0, CREDENTIALS).filter(({ score }) => score > 0)
  const { total, activity, identity, skills } = sumScores(credentials)
  const points = [...new Set(credentials.map(({ score, type }) => `${score} ${foldName(type)}`))]
  return toRow({
    id,
    name: '',
    score: total,
    activity_score: activity,
    identity_score: identity,
    skills_score: skills,
    human: [String(human)],
    location: profile.location === '' ? [] : [foldName(profile.location)],
    tag: [...new Set(profile.tags.map(foldName))],
    source: [...new Set(socials.map(({ source }) => foldName(source)))],
    rules: ['default'],
    points,
    type: typesOf(points),
  })
}

const SYLLABLES = 'an be chi da el fu gi ha jo ka le ma ne or pi ra su to vi wen xa yu zo 東京'.split(' ')

/** The first of `most` values is the most frequent one: half of all values are among the first 1 %. */
const skewed = (random: Random, most: number): number => Math.floor(most * random.next() ** 6)

/** People with thousands of different tags, places and scores. */
export function* variedRows(passports: number): Generator<ListingRow> {
  const random = createRandom(1)
  const word = () => Array.from({ length: random.whole(2, 4) }, () => random.pick(SYLLABLES)).join('')
  for (let id = 1; id <= passports; id++) {
    const points = Array.from(
      { length: random.whole(0, 9) },
      () => `${random.whole(1, 4000) / 100} type ${skewed(random, 46)}`,
    )
    const [activity_score, identity_score, skills_score] = [100, 40, 120].map(
      (most) => Math.floor(100 * most * random.next() ** 3) / 100,
    ) as [number, number, number]
    yield toRow({
      id,
      name: `${word()} ${word()}`,
      score: Math.round(100 * (activity_score + identity_score + skills_score)) / 100,
      ...{ activity_score, identity_score, skills_score },
      human: [String(random.chance(0.3))],
      location: random.chance(0.6) ? [`place ${skewed(random, 50_000)}`] : [],
      tag: [...new Set(Array.from({ length: random.whole(0, 5) }, () => `tag ${skewed(random, 20_000)}`))],
      source: random.sample(['github', 'lens', 'farcaster', 'twitter'], random.whole(0, 3)),
      rules: ['default'],
      points,
      type: typesOf(points),
    })
  }
}
