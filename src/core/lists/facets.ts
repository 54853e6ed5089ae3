/**
 * Facets are the values by which v3 lists are filtered, grouped and sorted. They are stored as text: the folded name,
 * then the values of these fields. Places, tags and sources are as written, other text is folded, and empty text is
 * left out. `human` is "true" or "false". `points` has the score and the type of each shown credential with a score
 * above 0, such as "20.25 github". The field `type` has those types.
 */
export const FACET_FIELDS = [
  'location',
  'tag',
  'source',
  'score',
  'activity_score',
  'identity_score',
  'skills_score',
  'human',
  'rules',
  'points',
] as const

/** Values have no white space but single blanks. */
export const FIELD_SEPARATOR = '\t'
export const VALUE_SEPARATOR = '\n'
