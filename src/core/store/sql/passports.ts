import { type Awaitable, andThen } from '../../basics/awaitable.ts'
import { hashOf } from '../../basics/hash.ts'
import type { CredentialV3, PassportV3 } from '../../history/passport-state.ts'
import type { Credential } from '../../passport/credential.ts'
import { type PassportRef, refKind, refValue } from '../../passport/passport.ts'
import { readCredential } from '../../passport/present.ts'
import {
  IS_VISIBLE,
  LISTED_COLUMNS,
  type ListedRow,
  LONGEST_CHAIN,
  SHOWN_COLUMNS,
  toPassport,
} from '../rows/passport.ts'
import type { FindByKeys, FindOptions, Store } from '../store.ts'
import { type Connection, findNumber, listColumn, type Prepare } from './connection.ts'
import { selectIds } from './words.ts'

const survivorOf = (start: string, more = 'and hidden_at is null') => `(with recursive chain (id, hops) as (
  select ${start}, 0
  union all
  select merged_into, hops + 1 from chain join passports using (id)
  where merged_into is not null ${more} and hops < ${LONGEST_CHAIN}
) select id from chain order by hops desc limit 1)`

const OWNER = '(select passport_id from wallets where address = $1)'

/** SQL for both engines: the id of a passport. `$1` is an id or a wallet address. */
export const PASSPORT_ID = { id: 'cast($1 as bigint)', wallet: OWNER }

/** SQL for both engines: the id of the passport that this one was merged into, after any number of merges. */
export const SURVIVOR_ID = { id: survivorOf(PASSPORT_ID.id), wallet: survivorOf(OWNER) }

/** As `SURVIVOR_ID`, but hidden passports lead to their survivors, too. */
export const ANY_SURVIVOR_ID = { id: survivorOf(PASSPORT_ID.id, ''), wallet: survivorOf(OWNER, '') }

export function createPassportReader({ query }: Connection, prepare: Prepare, findByKeys: FindByKeys) {
  const findVersion = createFinder<object>(prepare, SELECT_VERSION)
  return {
    async findVersion(ref) {
      const row = await findVersion(ref)
      return row && hashOf(JSON.stringify(row))
    },
    find: (ref) => findPassport(findByKeys, ref, { credentials: false }),
    async findWithCredentials(ref) {
      const found = await findPassport(findByKeys, ref, { credentials: true })
      if (!found) return undefined
      const { credentials = [], ...passport } = found
      return { passport, credentials: credentials.map(toCredential) }
    },
    count: () => findNumber(query, COUNT_PASSPORTS),
    listMerged: (id) =>
      listColumn<number>(
        query,
        'select cast(id as double precision) as id from passports where merged_into = $1 order by passports.id',
        [id],
      ),
    async listByIds(ids) {
      if (ids.length === 0) return []
      const rows = await query<ListedRow>(SELECT_LISTED, [ids])
      const found = new Map(rows.map((row) => [row.id, toPassport(row)]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
  } satisfies Partial<Store['passports']>
}

const SELECT_LISTED = `select ${LISTED_COLUMNS} from passports where id in (${selectIds('$1')}) and ${IS_VISIBLE}`

/** SQL for both engines: 1 if another passport was merged into this one. */
export const MERGED = `case when exists (
    select 1 from passports as other where other.merged_into = passports.id and other.hidden_at is null
  ) then 1 else 0 end as merged`

/** All that responses about a passport show. */
const SELECT_VERSION = `select ${SHOWN_COLUMNS}, ${MERGED}, shown
  from passports join credentials on passport_id = id`

/** Finds a row of the select, for a visible passport. A merged passport leads to its survivor. */
export function createFinder<Row>(prepare: Prepare, select: string) {
  const prepareBy = (id: string) => prepare<Row>(`${select} where id = ${id} and ${IS_VISIBLE}`)
  const listed = { id: prepareBy(PASSPORT_ID.id), wallet: prepareBy(PASSPORT_ID.wallet) }
  const merged = { id: prepareBy(SURVIVOR_ID.id), wallet: prepareBy(SURVIVOR_ID.wallet) }
  return (ref: PassportRef): Awaitable<Row | undefined> => {
    const [kind, value] = [refKind(ref), refValue(ref)] as const
    return andThen(
      listed[kind](value),
      ([row]) => row ?? andThen(merged[kind](value), ([survivor]) => survivor),
    )
  }
}

export const COUNT_PASSPORTS = 'select cast(count(*) as double precision) as count from passports'

async function findPassport(
  findByKeys: FindByKeys,
  ref: PassportRef,
  options: FindOptions,
): Promise<PassportV3 | undefined> {
  const [found] = await findByKeys([ref], options)
  return found && 'passport' in found ? found.passport : undefined
}

const toCredential = (credential: CredentialV3): Credential => ({
  ...readCredential(credential),
  ...(credential.issuer !== undefined && { issuer: credential.issuer }),
})
