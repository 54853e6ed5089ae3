import type { PassportRef } from '../../domain/passport.ts'
import { type Awaitable, then } from '../awaitable.ts'
import { BODY, type FoundItem, type FoundPassport, ITEM, toCalculating, toItem } from '../rows/v1.ts'
import { type FoundItemV2, type FoundPassportV2, toItemV2, toPassportV2 } from '../rows/v2.ts'
import type { Store, V1Body } from '../store.ts'
import type { Dialect, Prepare } from './connection.ts'
import { PASSPORT_ID, refKind, refValue, SURVIVOR_ID } from './passports.ts'

const selectStale = ({ staleIndex }: Dialect) =>
  `exists (select 1 from passports ${staleIndex} where id = passport_id and stale <> 0) as stale`

const selectPassport = (dialect: Dialect) =>
  `select cast(passport_id as double precision) as id, ${BODY} as body, etag, merged, ${selectStale(dialect)}`

const selectItem = (dialect: Dialect) =>
  `select cast(passport_id as double precision) as id, score, ${ITEM} as item, ${selectStale(dialect)}`

export function createV1Reader(prepare: Prepare, dialect: Dialect): Store['v1'] {
  const findPassport = createFinder<FoundPassport>(prepare, `${selectPassport(dialect)} from v1_passports`)
  const listItems = createLister<FoundItem>(prepare, dialect, `${selectItem(dialect)} from v1_passports`)
  return {
    findPassport: (ref) => then(findPassport(ref), (row) => (row?.stale ? toCalculating(row) : row)),
    findCredentials: createFinder<V1Body>(prepare, 'select body, etag from v1_credentials'),
    listItems: (ids) => then(listItems(ids), (rows) => rows.map(toItem)),
  }
}

/** V2 responses are made from those of V1. */
export function createV2Reader(prepare: Prepare, dialect: Dialect): Store['v2'] {
  const findPassport = createFinder<FoundPassportV2>(
    prepare,
    `${selectPassport(dialect)}, later_fields from v1_passports`,
  )
  const listItems = createLister<FoundItemV2>(
    prepare,
    dialect,
    `${selectItem(dialect)}, later_fields from v1_passports`,
  )
  return {
    findPassport: (ref) => then(findPassport(ref), (row) => row && toPassportV2(row)),
    listItems: (ids) => then(listItems(ids), (rows) => rows.map(toItemV2)),
  }
}

/** Only listed passports have a response; a merged one has that of its survivor. */
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

type Ranked = { id: number; score: number }

function createLister<Row>(prepare: Prepare, { isIn }: Dialect, select: string) {
  const list = prepare<Row & Ranked>(`${select} where ${isIn('passport_id', '$1')}`)
  // Sorting in SQLite would copy the rows.
  return (ids: readonly number[]): Awaitable<(Row & Ranked)[]> =>
    ids.length === 0
      ? []
      : then(list(ids), (rows) => rows.sort((one, other) => other.score - one.score || one.id - other.id))
}
