import type { Database } from 'bun:sqlite'
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
import type { ReadTransaction } from './read-transaction.ts'

/** Without `indexed by`, SQLite reads the table instead of the small index. */
const STALE =
  'exists (select 1 from passports indexed by passports_stale where id = passport_id and stale <> 0) as stale'

export function createV1Reader(reader: Database, transaction: ReadTransaction) {
  const findPassport = createFinder<FoundPassport>(
    reader,
    `select passport_id as id, ${BODY} as body, etag, merged, ${STALE} from v1_passports`,
  )
  const findCredentials = createFinder<V1Body>(reader, 'select body, etag from v1_credentials')
  const listItems = reader.query<FoundItem & { id: number; score: number }, [string]>(
    `select passport_id as id, score, ${ITEM} as item, ${STALE} from v1_passports
     where passport_id in (select value from json_each(?))`,
  )

  return {
    findPassport(ref: PassportRef): V1Passport | undefined {
      const row = transaction.read(() => findPassport(ref))
      return row?.stale ? toCalculating(row) : row
    },

    findCredentials(ref: PassportRef): V1Body | undefined {
      return transaction.read(() => findCredentials(ref))
    },

    /** List items by score, then id. Passports that are no longer listed are left out. */
    listItems: (ids: readonly number[]): string[] =>
      transaction.read(() => {
        const rows = listItems.all(`[${ids}]`)
        // Sorting in SQLite would copy the rows.
        return rows.sort((one, other) => other.score - one.score || one.id - other.id).map(toItem)
      }),
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
