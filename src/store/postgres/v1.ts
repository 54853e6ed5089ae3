import type { PassportRef } from '../../domain/passport.ts'
import { PASSPORT_ID, refKind, refValue, SURVIVOR_ID } from '../passport-id-sql.ts'
import {
  BODY,
  type FoundItem,
  type FoundPassport,
  ITEM,
  toCalculating,
  toItem,
  type V1Body,
  type V1Passport,
} from '../rows/v1.ts'
import type { Query } from './connection/query.ts'

const STALE = 'exists (select 1 from passports where id = passport_id and stale <> 0) as stale'
const PASSPORT = `select passport_id::float8 as id, ${BODY} as body, etag, merged, ${STALE} from v1_passports`
const CREDENTIALS = 'select body, etag from v1_credentials'

export function createV1Reader(read: Query) {
  /** Only listed passports have a response; a merged one has that of its survivor. */
  async function find<Row>(select: string, ref: PassportRef): Promise<Row | undefined> {
    for (const id of [PASSPORT_ID, SURVIVOR_ID]) {
      const [row] = await read<Row>(`${select} where passport_id = ${id[refKind(ref)]}`, [refValue(ref)])
      if (row) return row
    }
    return undefined
  }

  return {
    async findPassport(ref: PassportRef): Promise<V1Passport | undefined> {
      const row = await find<FoundPassport>(PASSPORT, ref)
      return row?.stale ? toCalculating(row) : row
    },

    findCredentials: (ref: PassportRef) => find<V1Body>(CREDENTIALS, ref),

    /** List items by score, then id. Passports that are no longer listed are left out. */
    async listItems(ids: readonly number[]): Promise<string[]> {
      if (ids.length === 0) return []
      const rows = await read<FoundItem>(
        `select ${ITEM} as item, ${STALE} from v1_passports where passport_id = any($1::bigint[]) order by score desc, passport_id`,
        [ids],
      )
      return rows.map(toItem)
    },
  }
}
