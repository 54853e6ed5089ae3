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
    const fold: Fold = {
      text: remember((text) => foldAll([text])),
      list: remember((json) => foldAll(JSON.parse(json))),
      each: remember((json) => JSON.parse(json).map(foldName)),
    }
    return rows.map((row) => toFacets(row, fold))
  },
})

type FacetsRow = Pick<StoredRow, ScoreField | 'id' | 'human' | 'location' | 'tags' | 'socials' | 'rules'> & {
  name: string
  body: string | null
}

function toFacets(row: FacetsRow, fold: Fold): Facets {
  const scored = scoredPart(row.body ?? '')
  const types = `[${textsOf(scored, '"type":')}]`
  const scores = scored.matchAll(SCORES)
  return {
    id: row.id,
    name: row.name,
    score: row.score,
    activity_score: row.activity_score,
    identity_score: row.identity_score,
    skills_score: row.skills_score,
    human: row.human === 1 ? TRUE : FALSE,
    location: fold.text(row.location),
    tag: fold.list(row.tags),
    source: fold.list(`[${textsOf(row.socials, '"source":')}]`),
    type: fold.list(types),
    points: fold.each(types).map((type) => `${Number(scores.next().value?.[1])} ${type}`),
    rules: fold.text(row.rules),
  }
}

/** The scores of credentials. Quotes in strings are escaped, so that only members match. */
const SCORES = /"score":([^,]+)/g

const TRUE = ['true'] as const
const FALSE = ['false'] as const

type Fold = Record<'text' | 'list' | 'each', ReturnType<typeof remember>>

const foldAll = (values: readonly string[]) =>
  [...new Set(values.map(foldName))].filter((value) => value !== '')

/** Caches the results of `parse`, because many passports have the same lists. */
function remember(parse: (text: string) => readonly string[]) {
  const known = new Map<string, readonly string[]>()
  return (text: string) => known.getOrInsertComputed(text, parse)
}

/** The part of the JSON with credentials that have a score above 0. `toV1CredentialsRow` puts them at the beginning. */
function scoredPart(body: string): string {
  const end = body.indexOf('"score":0,')
  return end === -1 ? body : body.slice(0, end)
}

/**
 * Finds all string values of a member, and returns them as JSON, separated by commas. Quotes in strings are escaped,
 * so that only members match. Parsing the JSON would take five times longer.
 */
function textsOf(json: string, member: string): string {
  let texts = ''
  for (let at = json.indexOf(member); at !== -1; at = json.indexOf(member, at)) {
    const start = at + member.length
    at = json.indexOf('"', start + 1)
    while (isEscaped(json, at)) at = json.indexOf('"', at + 1)
    texts += `${texts === '' ? '' : ','}${json.slice(start, at + 1)}`
  }
  return texts
}

/** Whether an odd number of backslashes precedes this position. */
function isEscaped(json: string, at: number): boolean {
  let first = at
  while (json[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
