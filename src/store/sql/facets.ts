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

const MOST_REMEMBERED = 10_000

type FacetsRow = Pick<StoredRow, ScoreField | 'id' | 'human' | 'location' | 'tags' | 'socials' | 'rules'> & {
  name: string
  body: string | null
}

function toFacets(row: FacetsRow): Facets {
  const credentials = matchesOf(scoredPart(row.body ?? ''), CREDENTIAL).map(parseCredential)
  return {
    id: row.id,
    name: row.name,
    score: row.score,
    activity_score: row.activity_score,
    identity_score: row.identity_score,
    skills_score: row.skills_score,
    human: row.human === 1 ? HUMAN : NOT_HUMAN,
    location: distinct([foldName(row.location)]),
    tag: distinct((JSON.parse(row.tags) as string[]).map(foldName)),
    source: distinct(matchesOf(row.socials, SOURCE).map(parseSource)),
    type: distinct(credentials.map(({ type }) => type)),
    points: credentials.map(({ points }) => points),
    rules: distinct([foldName(row.rules)]),
  }
}

const HUMAN = ['true']
const NOT_HUMAN = ['false']

/** The lists are short. A set would take twice as long. */
const distinct = (values: readonly string[]) =>
  values.filter((value, at) => value !== '' && values.indexOf(value) === at)

/** The part of the JSON with credentials that have a score above 0. `toV1CredentialsRow` puts them at the beginning. */
function scoredPart(body: string): string {
  const end = body.indexOf('"score":0,')
  return end === -1 ? body : body.slice(0, end)
}

/** Match members with their values. Quotes in strings are escaped, so that only members match. */
const SOURCE = /"source":"(?:[^"\\]|\\.)*"/g
const CREDENTIAL = /"score":[^,]+,"name":"(?:[^"\\]|\\.)*","type":"(?:[^"\\]|\\.)*"/g

const matchesOf = (json: string, members: RegExp): string[] => json.match(members) ?? []

const parseSource = remember((text) => foldName(JSON.parse(`{${text}}`).source))

const parseCredential = remember((text) => {
  const { score, type } = JSON.parse(`{${text}}`)
  const folded = foldName(type)
  return { type: folded, points: `${score} ${folded}` }
})

/** Remembers some results: passports have the same sources and credentials. Parsing takes several times longer. */
function remember<T>(parse: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found
    if (known.size === MOST_REMEMBERED) known.clear()
    const value = parse(text)
    // A match refers to all of the JSON, so that the copy takes less memory.
    known.set(Buffer.from(text).toString(), value)
    return value
  }
}
