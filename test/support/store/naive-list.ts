import { foldName } from '../../../src/core/basics/text/fold-name.ts'
import { FACET_FIELDS } from '../../../src/core/lists/facets.ts'
import type { Condition, Filter } from '../../../src/core/lists/filter.ts'
import type { GroupField, ListQuery, ScoreField } from '../../../src/core/lists/list-request.ts'
import type { ListingRow } from '../../../src/core/store/sql/listing.ts'

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
