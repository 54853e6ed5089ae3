import type { GroupField, ScoreField } from './list-request.ts'

/**
 * The values by which v3 lists are filtered, grouped and sorted. Text is folded; duplicates and empty text are left
 * out. `human` is "true" or "false". `points` has the score and the type of each shown credential with a score above 0,
 * such as "20.25 github"; the values of the field `type` are those types.
 */
export type Facets = { name: string } & Record<ScoreField, number> &
  Record<Exclude<GroupField, 'type'> | 'points', readonly string[]>

/** The fields of the text of `formatFacets`, after the name. */
export const FACET_FIELDS = [
  'score',
  'activity_score',
  'identity_score',
  'skills_score',
  'human',
  'location',
  'tag',
  'source',
  'points',
  'rules',
] as const satisfies (keyof Facets)[]

/** Folded text contains no white space but single blanks. */
export const FIELD_SEPARATOR = '\t'
export const VALUE_SEPARATOR = '\n'

/** The text that is stored, and that the index for filters reads. */
export function formatFacets(facets: Facets): string {
  let text = facets.name
  for (const field of FACET_FIELDS) {
    const values = facets[field]
    text += FIELD_SEPARATOR + (typeof values === 'number' ? values : values.join(VALUE_SEPARATOR))
  }
  return text
}
