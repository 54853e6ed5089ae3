import type { Database } from 'bun:sqlite'
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
import type { ReadTransaction } from './connection/read-transaction.ts'

/** Without `indexed by`, SQLite reads the table instead of the small index. */
const STALE =
  'exists (select 1 from passports indexed by passports_stale where id = passport_id and stale <> 0) as stale'

const PASSPORT = `select passport_id as id, ${BODY} as body, etag, merged, ${STALE}`
const LIST_ITEM = `select passport_id as id, score, ${ITEM} as item, ${STALE}`

export function createV1Reader(reader: Database, transaction: ReadTransaction) {
  const findPassport = createFinder<FoundPassport>(reader, `${PASSPORT} from v1_passports`)
  const findCredentials = createFinder<V1Body>(reader, 'select body, etag from v1_credentials')
  const listItems = createLister<FoundItem>(reader, `${LIST_ITEM} from v1_passports`)

  return {
    findPassport(ref: PassportRef): V1Passport | undefined {
      const row = transaction.read(() => findPassport(ref))
      return row?.stale ? toCalculating(row) : row
    },

    findCredentials(ref: PassportRef): V1Body | undefined {
      return transaction.read(() => findCredentials(ref))
    },

    /** List items by score, then id. Passports that are no longer listed are left out. */
    listItems: (ids: readonly number[]): string[] => transaction.read(() => listItems(ids).map(toItem)),
  }
}

/** V2 responses are made from those of V1. */
export function createV2Reader(reader: Database, transaction: ReadTransaction) {
  const findPassport = createFinder<FoundPassportV2>(reader, `${PASSPORT}, later_fields from v1_passports`)
  const listItems = createLister<FoundItemV2>(reader, `${LIST_ITEM}, later_fields from v1_passports`)

  return {
    findPassport(ref: PassportRef): V1Passport | undefined {
      const row = transaction.read(() => findPassport(ref))
      return row && toPassportV2(row)
    },
    listItems: (ids: readonly number[]): string[] => transaction.read(() => listItems(ids)).map(toItemV2),
  }
}

/** Only listed passports have a response; a merged one has that of its survivor. */
function createFinder<Row>(reader: Database, select: string) {
  const prepare = (id: string) => reader.query<Row, [string | number]>(`${select} where passport_id = ${id}`)
  const listed = { id: prepare(PASSPORT_ID.id), wallet: prepare(PASSPORT_ID.wallet) }
  const merged = { id: prepare(SURVIVOR_ID.id), wallet: prepare(SURVIVOR_ID.wallet) }
  return (ref: PassportRef): Row | undefined => {
    const kind = refKind(ref)
    return listed[kind].get(refValue(ref)) ?? merged[kind].get(refValue(ref)) ?? undefined
  }
}

function createLister<Row>(reader: Database, select: string) {
  const list = reader.query<Row & { id: number; score: number }, [string]>(
    `${select} where passport_id in (select value from json_each(?))`,
  )
  // Sorting in SQLite would copy the rows.
  return (ids: readonly number[]) =>
    list.all(`[${ids}]`).sort((one, other) => other.score - one.score || one.id - other.id)
}
