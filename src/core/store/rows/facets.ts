import { foldName } from '../../basics/text/fold-name.ts'
import { FIELD_SEPARATOR, VALUE_SEPARATOR } from '../../lists/facets.ts'
import type { Credential } from '../../passport/credential.ts'
import type { FullPassport } from '../../passport/passport.ts'
import { type StoredRow, toFullPassport } from './passport.ts'

/** The facets of a listed passport, for the index for filters. Columns that are absent stay unchanged. */
export type FacetsRow = { passport_id: number; record?: string; scores?: string; points?: string }

/** SQL for both engines: the text of all facets (src/core/lists/facets.ts). */
export const FACETS = `record || '${FIELD_SEPARATOR}' || scores || '${FIELD_SEPARATOR}' || points`

/** `name` is folded. Without `credentials`, the points stay unchanged. Superseded credentials are left out. */
export function toFacetsRow(
  row: StoredRow,
  credentials: readonly Credential[] | undefined,
  passport = toFullPassport(row, false),
  name = foldName(row.display_name),
): FacetsRow {
  return { ...toScoreFacets(row, credentials), record: toRecordText(name, passport) }
}

/** The columns that scoring changes. */
export const toScoreFacets = (row: StoredRow, credentials: readonly Credential[] | undefined) => ({
  passport_id: row.id,
  scores: [
    row.score,
    row.activity_score,
    row.identity_score,
    row.skills_score,
    row.human === 1,
    foldName(row.rules),
  ].join(FIELD_SEPARATOR),
  ...(credentials && { points: toPointsText(credentials) }),
})

const toRecordText = (name: string, { profile, socials }: FullPassport) =>
  [
    name,
    foldKnown(profile.location),
    foldAll(profile.tags),
    foldAll(socials.map(({ source }) => source)),
  ].join(FIELD_SEPARATOR)

/** Leaves out duplicates and empty text. The lists are short: a set would take twice as long. */
function foldAll(values: readonly string[]): string {
  const folded = values.map(foldKnown)
  return folded.filter((value, at) => value !== '' && folded.indexOf(value) === at).join(VALUE_SEPARATOR)
}

function toPointsText(credentials: readonly Credential[]): string {
  let text = ''
  for (const { score, type, superseded } of credentials) {
    const folded = foldKnown(type)
    if (score > 0 && !superseded && folded !== '') text += `${text && VALUE_SEPARATOR}${score} ${folded}`
  }
  return text
}

const MOST_KNOWN = 10_000

/** Passports have the same places, tags, sources and types. Folding takes several times longer than a lookup. */
const known = new Map<string, string>()

function foldKnown(text: string): string {
  const found = known.get(text)
  if (found !== undefined) return found
  if (known.size === MOST_KNOWN) known.clear()
  const folded = foldName(text)
  known.set(text, folded)
  return folded
}
