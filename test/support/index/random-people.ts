import type { ListRequest } from '../../../src/core/index/find.ts'
import type { Condition, Filter, FilterField } from '../../../src/core/lists/filter.ts'
import { GROUP_FIELDS, SORT_FIELDS, toWords } from '../../../src/core/lists/list-request.ts'
import type { Random } from '../random.ts'
import { type Facets, typesOf } from './facets.ts'

const SYLLABLES = [
  'an',
  'be',
  'cho',
  'da',
  'el',
  'fu',
  'gi',
  'ma',
  'né'.normalize('NFC'),
  'ro',
  'su',
  'to',
  'ж',
  '東京',
  '🦊',
]
const TYPES = ['github', 'ens', 'human check', 'rare']
const SCORES = ['score', 'activity_score', 'identity_score', 'skills_score'] as const

/** Some values are those of half of all people, others of one in 32, and others of one person. */
const someValue = (random: Random): string => {
  const part = random.next()
  if (part < 0.4) return random.pick(['common', 'usual'])
  return part < 0.7 ? `v${random.whole(0, 30)}` : `rare ${random.whole(0, 400)}`
}

const manyValues = (random: Random, most: number): string[] => [
  ...new Set(Array.from({ length: random.whole(0, most) }, () => someValue(random))),
]

const someName = (random: Random): string =>
  Array.from({ length: random.whole(0, 3) }, () =>
    Array.from({ length: random.whole(1, 4) }, () => random.pick(SYLLABLES)).join(''),
  ).join(' ')

const someScore = (random: Random): number =>
  random.chance(0.3) ? random.whole(0, 5) : random.whole(0, 20_000) / 100

export function inventPerson(random: Random, id: number): Facets {
  const points = Array.from(
    { length: random.whole(0, 3) },
    () => `${random.whole(1, 160) / 4} ${random.pick(TYPES)}`,
  )
  return {
    id,
    name: someName(random),
    score: someScore(random),
    activity_score: someScore(random),
    identity_score: random.whole(0, 3),
    skills_score: someScore(random),
    human: [String(random.chance(0.5))],
    location: manyValues(random, 1),
    tag: manyValues(random, 4),
    source: manyValues(random, 2),
    rules: random.chance(0.9) ? ['default'] : [],
    points: [...new Set(points)],
    type: typesOf(points),
  }
}

const OPERATORS = ['=', '>', '>=', '<', '<='] as const

function someCondition(random: Random, field: FilterField): Condition {
  const not = random.chance(0.2)
  if (field === 'points') {
    const value = random.whole(0, 170) / 4
    return { not, operator: random.pick(OPERATORS), value, type: random.pick([...TYPES, 'unknown']) }
  }
  if (SCORES.some((score) => score === field))
    return { not, operator: random.pick(OPERATORS), value: someScore(random) }
  if (field === 'human') return { not, operator: '=', value: String(random.chance(0.5)) }
  if (field === 'rules') return { not, operator: '=', value: 'default' }
  return { not, operator: '=', value: field === 'type' ? random.pick(TYPES) : someValue(random) }
}

const FIELDS = [...SCORES, 'human', 'tag', 'location', 'type', 'points', 'source', 'rules'] as const

const someFilter = (random: Random): Filter =>
  Array.from({ length: random.whole(0, 3) }, () => {
    const field = random.pick(FIELDS)
    const conditions = Array.from({ length: random.chance(0.7) ? 1 : random.whole(2, 3) }, () =>
      someCondition(random, field),
    )
    return { field, conditions }
  })

/** A part of a name, or of two. */
function someKeyword(random: Random, people: readonly Facets[]): string | undefined {
  if (people.length === 0 || random.chance(0.6)) return undefined
  const part = () => {
    const letters = [...random.pick(people).name]
    const start = random.whole(0, letters.length)
    return letters.slice(start, start + random.whole(1, 9)).join('')
  }
  const text = random.chance(0.2) ? toWords(`${part()} ${part()}`.trim().replace(/ +/g, ' ')) : part()
  return text || undefined
}

/** Without a cursor. */
export function inventRequest(random: Random, people: readonly Facets[]): ListRequest {
  const descending = random.chance(0.6)
  const sort = random.chance(0.2)
    ? { field: 'score' as const, pointsFor: random.pick([...TYPES, 'unknown']), descending }
    : { field: random.pick(SORT_FIELDS), descending }
  return {
    keyword: someKeyword(random, people),
    filter: someFilter(random),
    sort,
    limit: random.whole(0, 30),
    offset: random.pick([0, 0, 1, 40, 700]),
    groups: random.sample(GROUP_FIELDS, random.whole(0, 2)).map((field) => ({
      field,
      prefix: random.pick([undefined, 'r', 'rare 1', '']),
    })),
    ranks: random.chance(0.4)
      ? [...random.sample(people, Math.min(3, people.length)).map(({ id }) => id), -1]
      : undefined,
  }
}
