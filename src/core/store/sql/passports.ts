import { type Awaitable, andThen } from '../../basics/awaitable.ts'
import { hashOf } from '../../basics/hash.ts'
import type { CredentialV3, PassportV3 } from '../../history/passport-state.ts'
import type { Credential } from '../../passport/credential.ts'
import {
  type FullPassport,
  type Passport,
  type PassportRef,
  refKind,
  refValue,
} from '../../passport/passport.ts'
import { readCredential } from '../../passport/present.ts'
import {
  type FindByKeys,
  type FindOptions,
  IS_VISIBLE,
  LISTED_COLUMNS,
  type ListedRow,
  LONGEST_CHAIN,
  SHOWN_COLUMNS,
  toPassport,
} from '../rows/passport.ts'
import { type Database, findNumber, type Lookup, listColumn } from './connection.ts'
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

/** As `SURVIVOR_ID.wallet`, but hidden passports lead to their survivors, too. */
export const ANY_SURVIVOR_OF_WALLET = survivorOf(OWNER, '')

export function createPassportReader({ read: { query }, lookup }: Database, findByKeys: FindByKeys) {
  const findVersion = createFinder<object>(lookup, SELECT_VERSION)
  return {
    /** A text that changes whenever a response about the passport does. */
    async findVersion(ref: PassportRef): Promise<string | undefined> {
      const row = await findVersion(ref)
      return row && hashOf(JSON.stringify(row))
    },
    /** The id of a merged passport finds its survivor. */
    find: (ref: PassportRef): Promise<FullPassport | undefined> =>
      findPassport(findByKeys, ref, { credentials: false }),
    /** Also finds the credentials that responses show, sorted by score (highest first), name and id. */
    async findWithCredentials(ref: PassportRef) {
      const found = await findPassport(findByKeys, ref, { credentials: true })
      if (!found) return undefined
      const { credentials = [], ...passport } = found
      return { passport: passport as FullPassport, credentials: credentials.map(toCredential) }
    },
    /** Includes merged passports. */
    count: () => findNumber(query, COUNT_PASSPORTS),
    /** The passports that were merged into this one directly. */
    listMerged: (id: number) =>
      listColumn<number>(query, 'select id from passports where merged_into = $1 order by id', [id]),
    /** In the order of `ids`, without merged and unknown passports. */
    async listByIds(ids: readonly number[]): Promise<Passport[]> {
      if (ids.length === 0) return []
      const rows = await query<ListedRow>(SELECT_LISTED, [ids])
      const found = new Map(rows.map((row) => [row.id, toPassport(row)]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
  }
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
export function createFinder<Row>(lookup: Lookup, select: string) {
  const selectBy = ({ id, wallet }: typeof PASSPORT_ID) => ({
    id: `${select} where id = ${id} and ${IS_VISIBLE}`,
    wallet: `${select} where id = ${wallet} and ${IS_VISIBLE}`,
  })
  const [listed, merged] = [selectBy(PASSPORT_ID), selectBy(SURVIVOR_ID)]
  return (ref: PassportRef): Awaitable<Row | undefined> => {
    const [kind, value] = [refKind(ref), refValue(ref)] as const
    return andThen(
      lookup<Row>(listed[kind], [value]),
      ([row]) => row ?? andThen(lookup<Row>(merged[kind], [value]), ([survivor]) => survivor),
    )
  }
}

export const COUNT_PASSPORTS = 'select count(*) as count from passports'

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
