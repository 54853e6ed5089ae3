import { foldName } from '../../../src/core/basics/text/fold-name.ts'
import { FACET_FIELDS } from '../../../src/core/lists/facets.ts'
import type { GroupField, ScoreField } from '../../../src/core/lists/list-request.ts'
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
