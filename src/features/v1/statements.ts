import { type Awaitable, then } from '../../core/basics/awaitable.ts'
import { type PassportRef, refKind, refValue } from '../../core/passport/passport.ts'
import { BODY, ITEM, toItem, toItemV2, toPassportV1, toPassportV2 } from '../../core/store/rows/v1.ts'
import type { Dialect, Prepare } from '../../core/store/sql/connection.ts'
import { PASSPORT_ID, SURVIVOR_ID } from '../../core/store/sql/passports.ts'
import type { Store, V1Body, V1Passport } from '../../core/store/store.ts'

export const createV1Reader = (prepare: Prepare, dialect: Dialect): Store['v1'] => ({
  ...createReader(prepare, dialect, '', toPassportV1, toItem),
  findCredentials: createFinder<V1Body>(prepare, 'select body, etag from v1_credentials'),
})

/** A V2 response is made from the V1 response. */
export const createV2Reader = (prepare: Prepare, dialect: Dialect): Store['v2'] =>
  createReader(prepare, dialect, ', later_fields', toPassportV2, toItemV2)

function createReader<Found, Item>(
  prepare: Prepare,
  { isIn, staleIndex }: Dialect,
  more: string,
  toPassport: (row: Found, cards: string) => V1Passport,
  toItem: (row: Item, cards: string) => string,
): Store['v2'] {
  const select = (columns: string) =>
    `select cast(passport_id as double precision) as id, ${columns},
       exists (select 1 from passports ${staleIndex} where id = passport_id and stale <> 0) as stale${more}
     from v1_passports`
  const find = createFinder<Found>(prepare, select(`${BODY} as body, etag, merged`))
  const list = prepare<Item & Ranked>(
    `${select(`score, ${ITEM} as item`)} where ${isIn('passport_id', '$1')}`,
  )
  return {
    findPassport: (ref, cards = '') => then(find(ref), (row) => row && toPassport(row, cards)),
    // Rows are sorted here, because SQLite would copy them to sort.
    listItems: (ids, cards = '') =>
      ids.length === 0 ? [] : then(list(ids), (rows) => rows.sort(byRank).map((row) => toItem(row, cards))),
  }
}

type Ranked = { id: number; score: number }

const byRank = (one: Ranked, other: Ranked) => other.score - one.score || one.id - other.id

/** Only listed passports have a stored response. For a merged passport, the response of its survivor is found. */
function createFinder<Row>(prepare: Prepare, select: string) {
  const prepareBy = (id: string) => prepare<Row>(`${select} where passport_id = ${id}`)
  const listed = { id: prepareBy(PASSPORT_ID.id), wallet: prepareBy(PASSPORT_ID.wallet) }
  const merged = { id: prepareBy(SURVIVOR_ID.id), wallet: prepareBy(SURVIVOR_ID.wallet) }
  return (ref: PassportRef): Awaitable<Row | undefined> => {
    const [kind, value] = [refKind(ref), refValue(ref)] as const
    return then(
      listed[kind](value),
      ([row]): Awaitable<Row | undefined> => row ?? then(merged[kind](value), ([survivor]) => survivor),
    )
  }
}
