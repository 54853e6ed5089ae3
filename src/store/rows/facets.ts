import { foldName } from '../../domain/text/fold-name.ts'
import type { Facets } from '../store.ts'

export type FacetsRow = {
  id: number
  score: number
  activity_score: number
  identity_score: number
  skills_score: number
  human: number
  location: string
  tags: string
  socials: string
  rules: string
  name: string
  body: string | null
}

/** SQL for the columns and tables of `FacetsRow`, on either engine; `listed` is v1_passports. */
export const FACETS_COLUMNS = `name, passports.score, activity_score, identity_score, skills_score, human, location, tags, socials,
  rules, body`
export const FACETS_TABLES = `v1_passports as listed join passports on id = listed.passport_id
  left join v1_credentials as shown on shown.passport_id = id`

export const toFacets = (row: FacetsRow): Facets => ({
  id: row.id,
  name: row.name,
  score: row.score,
  activity_score: row.activity_score,
  identity_score: row.identity_score,
  skills_score: row.skills_score,
  human: [row.human === 1 ? 'true' : 'false'],
  location: fold([row.location]),
  tag: fold(JSON.parse(row.tags)),
  source: fold(sourcesOf(row.socials)),
  type: fold(typesOf(row.body ?? '')),
  rules: fold([row.rules]),
})

const fold = (values: readonly string[]) =>
  values.length === 0 ? values : [...new Set(values.map(foldName))].filter((value) => value !== '')

const sourcesOf = (socials: string): string[] =>
  socials === '[]' ? [] : JSON.parse(socials).map(({ source }: { source: string }) => source)

/** The members of a credential that precede its type, as `presentCredential` orders them. Parsing the JSON takes five times longer. */
const TYPE = /"score":([^,]+),"name":"(?:[^"\\]|\\.)*","type":("(?:[^"\\]|\\.)*")/g

/** The types of credentials with a score above 0. */
function typesOf(body: string): string[] {
  const types: string[] = []
  for (const [, score, type] of body.matchAll(TYPE))
    if (Number(score) > 0) types.push(JSON.parse(type as string))
  return types
}
