import { FACET_FIELDS, FIELD_SEPARATOR, VALUE_SEPARATOR } from '../lists/facets.ts'
import type { GroupField, ScoreField } from '../lists/list-request.ts'
import type { ListingRow } from '../store/sql/listing.ts'

/** `values` are as written; a field without a value has an empty list. */
export type ListedValues = {
  scores: Record<ScoreField, number>
  values: Record<Exclude<GroupField, 'type'>, readonly string[]>
  points: readonly { points: number; type: string }[]
}

/** The only place that knows the format of stored facets. */
export function parseFacets({ score, facets }: ListingRow): ListedValues {
  const texts = facets.split(FIELD_SEPARATOR)
  const textOf = (field: (typeof FACET_FIELDS)[number]) => texts[FACET_FIELDS.indexOf(field)] ?? ''
  const numberOf = (field: ScoreField) => Number(textOf(field))
  const listOf = (field: keyof ListedValues['values']) => split(textOf(field))
  return {
    scores: {
      score,
      activity_score: numberOf('activity_score'),
      identity_score: numberOf('identity_score'),
      skills_score: numberOf('skills_score'),
    },
    values: {
      location: listOf('location'),
      tag: listOf('tag'),
      source: listOf('source'),
      human: listOf('human'),
      rules: listOf('rules'),
    },
    points: split(textOf('points')).map(parsePoints),
  }
}

const split = (text: string): string[] => (text === '' ? [] : text.split(VALUE_SEPARATOR))

/** "20.25 github" */
function parsePoints(text: string) {
  const end = text.indexOf(' ')
  return { points: Number(text.slice(0, end)), type: text.slice(end + 1) }
}
