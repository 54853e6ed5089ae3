import { byScore, type Credential } from '../../domain/credential.ts'
import { formatFacets } from '../../domain/lists/facets.ts'
import type { Social } from '../../domain/passport.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { StoredRow } from './passport.ts'

/** The facets of a listed passport, for the index for filters (`formatFacets`). */
export type FacetsRow = { passport_id: number; data: string }

/** `credentials` are those that responses show. Superseded ones are left out. */
export function toFacetsRow(row: StoredRow, credentials: readonly Credential[]): FacetsRow {
  const scored = credentials.filter(({ score, superseded }) => score > 0 && !superseded).sort(byScore)
  const data = formatFacets({
    name: foldName(row.display_name),
    score: row.score,
    activity_score: row.activity_score,
    identity_score: row.identity_score,
    skills_score: row.skills_score,
    human: [String(row.human === 1)],
    location: foldAll([row.location]),
    tag: foldAll(JSON.parse(row.tags)),
    source: foldAll((JSON.parse(row.socials) as Social[]).map(({ source }) => source)),
    points: scored
      .map(({ score, type }) => `${score} ${foldName(type)}`)
      .filter((text) => !text.endsWith(' ')),
    rules: foldAll([row.rules]),
  })
  return { passport_id: row.id, data }
}

/** Leaves out duplicates and empty text. The lists are short: a set would take twice as long. */
function foldAll(values: readonly string[]): string[] {
  const folded = values.map(foldName)
  return folded.filter((value, at) => value !== '' && folded.indexOf(value) === at)
}
