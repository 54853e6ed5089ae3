import type { PassportRef } from '../../domain/passport.ts'
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
import { type FoundItemV2, type FoundPassportV2, toItemV2, toPassportV2 } from '../rows/v2.ts'
import { PASSPORT_ID, refKind, refValue, SURVIVOR_ID } from '../sql/passport-id.ts'
import type { Query } from './connection/query.ts'

const STALE = 'exists (select 1 from passports where id = passport_id and stale <> 0) as stale'
const PASSPORT = `select passport_id::float8 as id, ${BODY} as body, etag, merged, ${STALE}`
const LIST_ITEM = `select ${ITEM} as item, ${STALE}`
const CREDENTIALS = 'select body, etag from v1_credentials'

export function createV1Reader(read: Query) {
  return {
    async findPassport(ref: PassportRef): Promise<V1Passport | undefined> {
      const row = await find<FoundPassport>(read, `${PASSPORT} from v1_passports`, ref)
      return row?.stale ? toCalculating(row) : row
    },

    findCredentials: (ref: PassportRef) => find<V1Body>(read, CREDENTIALS, ref),

    /** List items by score, then id. Passports that are no longer listed are left out. */
    async listItems(ids: readonly number[]): Promise<string[]> {
      return (await list<FoundItem>(read, `${LIST_ITEM} from v1_passports`, ids)).map(toItem)
    },
  }
}

/** V2 responses are made from those of V1. */
export function createV2Reader(read: Query) {
  return {
    async findPassport(ref: PassportRef): Promise<V1Passport | undefined> {
      const row = await find<FoundPassportV2>(read, `${PASSPORT}, later_fields from v1_passports`, ref)
      return row && toPassportV2(row)
    },
    async listItems(ids: readonly number[]): Promise<string[]> {
      return (await list<FoundItemV2>(read, `${LIST_ITEM}, later_fields from v1_passports`, ids)).map(
        toItemV2,
      )
    },
  }
}

/** Only listed passports have a response; a merged one has that of its survivor. */
async function find<Row>(read: Query, select: string, ref: PassportRef): Promise<Row | undefined> {
  for (const id of [PASSPORT_ID, SURVIVOR_ID]) {
    const [row] = await read<Row>(`${select} where passport_id = ${id[refKind(ref)]}`, [refValue(ref)])
    if (row) return row
  }
  return undefined
}

async function list<Row>(read: Query, select: string, ids: readonly number[]): Promise<Row[]> {
  if (ids.length === 0) return []
  return read<Row>(`${select} where passport_id = any($1::bigint[]) order by score desc, passport_id`, [ids])
}
