import { type Awaitable, andThen } from '../../basics/awaitable.ts'
import { hashOf } from '../../basics/hash.ts'
import type { CredentialV3 } from '../../history/passport-state.ts'
import type { Credential } from '../../passport/credential.ts'
import {
  type FullPassport,
  type Passport,
  type PassportRef,
  refKind,
  refValue,
} from '../../passport/passport.ts'
import { readCredential } from '../../passport/present.ts'
import { defineData } from '../data.ts'
import {
  type FindByKeys,
  type FindOptions,
  IS_VISIBLE,
  LISTED_COLUMNS,
  type ListedRow,
  LONGEST_CHAIN,
  parseProfile,
  SHOWN_COLUMNS,
  type StoredRow,
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

export const PASSPORT_ID = { id: 'cast($1 as bigint)', wallet: OWNER }

/** SQL for both engines: the id of the passport that this one was merged into, after any number of merges. */
export const SURVIVOR_ID = { id: survivorOf(PASSPORT_ID.id), wallet: survivorOf(OWNER) }

/** As `SURVIVOR_ID.wallet`, but hidden passports lead to their survivors, too. */
const ANY_SURVIVOR_OF_WALLET = survivorOf(OWNER, '')

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
      findOne(findByKeys, ref, { credentials: false }),
    async findWithCredentials(ref: PassportRef) {
      const match = await findOne(findByKeys, ref, { credentials: true })
      if (!match) return undefined
      const { credentials = [], ...passport } = match
      return { passport: passport as FullPassport, credentials: credentials.map(credentialOfRow) }
    },
    count: () => findNumber(query, COUNT_PASSPORTS),
    /** The passports that were merged into this one directly. */
    listMerged: (id: number) =>
      listColumn<number>(query, 'select id from passports where merged_into = $1 order by id', [id]),
    /** In the order of `ids`, without merged and unknown passports. */
    async listByIds(ids: readonly number[]): Promise<Passport[]> {
      if (ids.length === 0) return []
      const rows = await query<ListedRow>(SELECT_LISTED, [ids])
      const passports = new Map(rows.map((row) => [row.id, toPassport(row)]))
      return ids.flatMap((id) => passports.get(id) ?? [])
    },
  }
}

const SELECT_LISTED = `select ${LISTED_COLUMNS} from passports where id in (${selectIds('$1')}) and ${IS_VISIBLE}`

/** SQL for both engines: 1 if another passport was merged into this one. */
export const MERGED = `case when exists (
    select 1 from passports as other where other.merged_into = passports.id and other.hidden_at is null
  ) then 1 else 0 end as merged`

const SELECT_VERSION = `select ${SHOWN_COLUMNS}, ${MERGED}, shown
  from passports join credentials on passport_id = id`

/** Finds a row of the select, for a visible passport. A merged passport leads to its survivor. */
export function createFinder<Row>(lookup: Lookup, select: string) {
  const [listed, merged] = [PASSPORT_ID, SURVIVOR_ID].map(({ id, wallet }) => ({
    id: `${select} where id = ${id} and ${IS_VISIBLE}`,
    wallet: `${select} where id = ${wallet} and ${IS_VISIBLE}`,
  })) as [typeof PASSPORT_ID, typeof PASSPORT_ID]
  return (ref: PassportRef): Awaitable<Row | undefined> => {
    const [kind, value] = [refKind(ref), refValue(ref)] as const
    return andThen(
      lookup<Row>(listed[kind], [value]),
      ([row]) => row ?? andThen(lookup<Row>(merged[kind], [value]), ([survivor]) => survivor),
    )
  }
}

export const COUNT_PASSPORTS = 'select count(*) as count from passports'

async function findOne(findByKeys: FindByKeys, ref: PassportRef, options: FindOptions) {
  const [found] = await findByKeys([ref], options)
  return found && 'passport' in found ? found.passport : undefined
}

const credentialOfRow = (credential: CredentialV3): Credential => ({
  ...readCredential(credential),
  ...(credential.issuer !== undefined && { issuer: credential.issuer }),
})

export type Subject = { id: number; hidden: boolean; name: string }

/** Finds people for themselves and for operators: hidden passports, too. */
export const SUBJECTS = defineData({
  name: 'subjects',
  open({ read }) {
    const find = async (id: string, value: string | number): Promise<Subject | undefined> => {
      const select = `select id, hidden_at, profile from passports where id = ${id}`
      const [row] = await read.query<Pick<StoredRow, 'id' | 'hidden_at' | 'profile'>>(select, [value])
      return (
        row && { id: row.id, hidden: row.hidden_at !== null, name: parseProfile(row.profile).displayName }
      )
    }
    return {
      /** The passport of a wallet. A merged passport leads to its survivor. */
      find: (wallet: string) => find(ANY_SURVIVOR_OF_WALLET, wallet),
      /** The passport with this id, even if it is merged. */
      findById: (id: number) => find('$1', id),
    }
  },
})
