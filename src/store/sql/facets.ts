import type { ScoreField } from '../../domain/lists/list-request.ts'
import { foldName } from '../../domain/text/fold-name.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { Facets, Store } from '../store.ts'
import type { Connection } from './connection.ts'

export const createFacetsReader = ({ query, dialect }: Connection): Store['facets'] => ({
  async list(ids) {
    if (ids.length === 0) return []
    const rows = await query<FacetsRow>(
      `select cast(id as double precision) as id, name, passports.score, activity_score, identity_score, skills_score, human,
         location, tags, socials, rules, body
       from v1_passports as listed join passports on id = listed.passport_id
         left join v1_credentials as shown on shown.passport_id = id
       where ${dialect.isIn('id', '$1')}`,
      [ids],
    )
    return rows.map(toFacets)
  },
})

type FacetsRow = Pick<StoredRow, ScoreField | 'id' | 'human' | 'location' | 'tags' | 'socials' | 'rules'> & {
  name: string
  body: string | null
}

function toFacets(row: FacetsRow): Facets {
  const scored = scoredPart(row.body ?? '')
  const types = textsOf(scored, TYPES)
  const scores = textsOf(scored, SCORES)
  return {
    id: row.id,
    name: row.name,
    score: row.score,
    activity_score: row.activity_score,
    identity_score: row.identity_score,
    skills_score: row.skills_score,
    human: [String(row.human === 1)],
    location: foldAll([row.location]),
    tag: foldAll(JSON.parse(row.tags)),
    source: foldAll(textsOf(row.socials, SOURCES)),
    type: foldAll(types),
    points: types.map((type, at) => `${scores[at]} ${foldName(type)}`),
    rules: foldAll([row.rules]),
  }
}

const foldAll = (values: readonly string[]) =>
  [...new Set(values.map(foldName))].filter((value) => value !== '')

/** The part of the JSON with credentials that have a score above 0. `toV1CredentialsRow` puts them at the beginning. */
function scoredPart(body: string): string {
  const end = body.indexOf('"score":0,')
  return end === -1 ? body : body.slice(0, end)
}

/** Match members with their values. Quotes in strings are escaped, so that only members match. */
const SOURCES = /"source":"(?:[^"\\]|\\.)*"/g
const SCORES = /"score":[^,]+/g
const TYPES = /"type":"(?:[^"\\]|\\.)*"/g

/** Finds the values of a member. Parsing all of the JSON would take several times longer. */
const textsOf = (json: string, member: RegExp): string[] =>
  (json.match(member) ?? []).map((text) => JSON.parse(text.slice(text.indexOf(':') + 1)))
