import fc from 'fast-check'
import { foldName } from '../../../src/core/basics/text/fold-name.ts'
import { FACET_FIELDS } from '../../../src/core/lists/facets.ts'
import type { Condition, Filter, FilterField, Operator } from '../../../src/core/lists/filter.ts'
import {
  GROUP_FIELDS,
  type GroupField,
  type ListQuery,
  type ScoreField,
  SORT_FIELDS,
} from '../../../src/core/lists/list-request.ts'
import type { ListingRow } from '../../../src/core/store/store.ts'

export { parseFilter } from '../../../src/core/lists/filter.ts'
export { parseSort } from '../../../src/core/lists/list-request.ts'

export type Facets = { id: number; name: string } & Record<ScoreField, number> &
  Record<GroupField | 'points', readonly string[]>

/** The row of a passport, as the store has it. */
export const toRow = (facets: Facets): ListingRow => ({
  id: facets.id,
  score: facets.score,
  name: facets.name,
  facets: FACET_FIELDS.map((field) => [facets[field]].flat().join('\n')).join('\t'),
})

/** Places, tags and sources are stored as written; the index folds them. */
export function fromRow({ id, name, facets }: ListingRow): Facets {
  const fields = facets
    .split('\t')
    .map((text) => (text === '' ? [] : [...new Set(text.split('\n').map(foldName))]))
  const values = FACET_FIELDS.map((field, at) => [
    field,
    field.endsWith('score') ? Number(fields[at]) : fields[at],
  ])
  const found = { id, name, ...Object.fromEntries(values) }
  return { ...found, type: typesOf(found.points) }
}

export const typesOf = (points: readonly string[]) => [
  ...new Set(points.map((text) => text.slice(text.indexOf(' ') + 1))),
]

const WORDS = ['a', 'b', 'ab', 'c d']
const text = fc.constantFrom(...WORDS)
const number = fc.constantFrom(-1, 0, 0.25, 3, 3.5, 7)
const texts = fc.uniqueArray(text, { maxLength: 3 })
const oneText = fc.uniqueArray(text, { maxLength: 1 })

/** Few different values, so that many passports match. */
export const someFacets: fc.Arbitrary<Facets> = fc
  .record({
    id: fc.nat({ max: 60 }),
    name: text,
    score: number,
    activity_score: number,
    identity_score: number,
    skills_score: number,
    human: fc.constantFrom(['true'], ['false']),
    location: oneText,
    tag: texts,
    source: texts,
    points: fc.uniqueArray(fc.constantFrom('0.25 a', '3 a', '7 a', '3 c d', '7 c d'), { maxLength: 3 }),
    rules: oneText,
  })
  .map((facets) => ({ ...facets, type: typesOf(facets.points) }))

const equals = fc.constant<Operator>('=')
const anyOperator = fc.constantFrom<Operator>('=', '>', '>=', '<', '<=')

function termOf(
  fields: readonly FilterField[],
  value: fc.Arbitrary<string | number>,
  operator: fc.Arbitrary<Operator>,
  type?: fc.Arbitrary<string>,
) {
  const condition = fc.record({ not: fc.boolean(), operator, value, ...(type && { type }) })
  const conditions = fc.array(condition, { minLength: 1, maxLength: 3 })
  return fc.record({ field: fc.constantFrom(...fields), conditions })
}

const term = fc.oneof(
  termOf(['score', 'activity_score', 'identity_score', 'skills_score'], number, anyOperator),
  termOf(['tag', 'location', 'type', 'source', 'rules'], fc.constantFrom(...WORDS, 'unknown'), equals),
  termOf(['points'], number, anyOperator, fc.constantFrom('a', 'd', 'c d')),
  termOf(['human'], fc.constantFrom('true', 'false'), equals),
)

export const someQuery: fc.Arbitrary<ListQuery> = fc.record({
  keyword: fc.option(text, { nil: undefined }),
  filter: fc.array(term, { maxLength: 3 }),
  sort: fc.record({ field: fc.constantFrom(...SORT_FIELDS), descending: fc.boolean() }),
})

export const someGroup = fc.option(fc.constantFrom<GroupField>(...GROUP_FIELDS), { nil: undefined })

/** Returns the matching passports in order. Evaluates the passports one by one, without an index. */
export function listNaively(all: readonly Facets[], { keyword = '', filter, sort }: ListQuery): Facets[] {
  const matching = all.filter((facets) => facets.name.includes(keyword) && matches(facets, filter))
  const figureOf = (facets: Facets) =>
    sort.pointsFor === undefined || sort.field === 'passport_id' ? 0 : pointsOf(facets, sort.pointsFor)
  const descending = matching.toSorted((one, other) =>
    sort.field === 'passport_id'
      ? other.id - one.id
      : figureOf(other) - figureOf(one) || other[sort.field] - one[sort.field] || one.id - other.id,
  )
  return sort.descending ? descending : descending.reverse()
}

const parsePoints = (value: string) => /^(\S+) (.*)$/.exec(value)?.slice(1) ?? []

const pointsOf = ({ points }: Facets, type: string) =>
  Math.max(0, ...points.map(parsePoints).flatMap(([points, of]) => (of === type ? Number(points) : [])))

const matches = (facets: Facets, filter: Filter) =>
  filter.every(({ field, conditions }) => {
    const values = [facets[field]].flat()
    return conditions.some((each) => values.some((value) => holds(value, each)) !== each.not)
  })

function holds(value: string | number, { operator, value: than, type }: Condition): boolean {
  if (type !== undefined) {
    const [points, of] = parsePoints(String(value))
    return of === type && holds(Number(points), { not: false, operator, value: than })
  }
  if (operator === '=') return value === than
  const difference = Number(value) - Number(than)
  if (difference === 0) return operator.endsWith('=')
  return operator.startsWith('>') === difference > 0
}

export function groupNaively(listed: readonly Facets[], field: GroupField) {
  const counts = new Map<string | null, number>()
  for (const facets of listed) {
    const values = facets[field].length === 0 ? [null] : facets[field]
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (String(one.value) < String(other.value) ? -1 : 1))
}
