import { type FacetsRow, toFacets } from '../rows/facets.ts'
import type { Store } from '../store.ts'
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
