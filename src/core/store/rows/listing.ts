import { foldKnown, foldName } from '../../basics/text/fold-name.ts'
import { FACET_FIELDS, FIELD_SEPARATOR, VALUE_SEPARATOR } from '../../lists/facets.ts'
import type { Credential } from '../../passport/credential.ts'
import type { WireProfile, WireSocial } from '../../passport/wire-schemas.ts'
import type { StoredRow } from './passport.ts'

/** What the index needs of a visible passport. */
export type ListingRow = { passport_id: number; score: number; name: string; facets: string }

/** SQL condition of an update. */
export const IS_CHANGED =
  'listing.score <> excluded.score or listing.name <> excluded.name or listing.facets <> excluded.facets'

/** `credentials`: those that responses show. Superseded ones are left out. */
export function toListing(row: StoredRow, credentials: readonly Credential[]): ListingRow {
  const profile: WireProfile = JSON.parse(row.profile)
  const socials: WireSocial[] = JSON.parse(row.socials)
  const facets = [
    writeAll([profile.location]),
    writeAll(profile.tags),
    writeAll(socials.map(({ source }) => source)),
    row.score,
    row.activity_score,
    row.identity_score,
    row.skills_score,
    row.human === 1,
    foldKnown(row.rules),
    toPointsText(credentials),
  ]
  const name = foldName(profile.display_name)
  return { passport_id: row.id, score: row.score, name, facets: facets.join(FIELD_SEPARATOR) }
}

/** As written, with single spaces, without duplicates and empty text. For short lists, a set takes twice as long. */
function writeAll(values: readonly string[]): string {
  const folded = values.map(foldKnown)
  const kept = values.filter((_, at) => folded[at] !== '' && folded.indexOf(folded[at] as string) === at)
  return kept.map((value) => value.replace(/\s+/g, ' ').trim()).join(VALUE_SEPARATOR)
}

/** Sorted, because the order of the credentials depends on who reads them. */
function toPointsText(credentials: readonly Credential[]): string {
  const points: string[] = []
  for (const { score, type, superseded } of credentials) {
    const folded = foldKnown(type)
    if (score > 0 && !superseded && folded !== '') points.push(`${score} ${folded}`)
  }
  return points.sort().join(VALUE_SEPARATOR)
}

/** Returns a function that reads the values of a field, or one empty text. `parsePoints` reads those of "points". */
export function readFacets(facets: string): (field: (typeof FACET_FIELDS)[number]) => string[] {
  const texts = facets.split(FIELD_SEPARATOR)
  return (field) => (texts[FACET_FIELDS.indexOf(field)] ?? '').split(VALUE_SEPARATOR)
}

export function parsePoints(text: string): { points: number; type: string } {
  const end = text.indexOf(' ')
  return { points: Number(text.slice(0, end)), type: text.slice(end + 1) }
}
