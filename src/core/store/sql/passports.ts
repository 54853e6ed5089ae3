import type { CredentialV3, PassportV3 } from '../../history/passport-state.ts'
import type { PassportRef } from '../../passport/passport.ts'
import { readCredential } from '../../passport/present.ts'
import { IS_VISIBLE, LONGEST_CHAIN, type StoredRow, toPassport } from '../rows/passport.ts'
import type { FindOptions, Store } from '../store.ts'
import { type Connection, findNumber, listColumn } from './connection.ts'

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

export function createPassportReader({ query, dialect, selectRows }: Connection, v3: Store['v3']) {
  return {
    find: (ref) => findPassport(v3, ref, { credentials: false }),
    count: () => findNumber(query, COUNT_PASSPORTS),
    listMerged: (id) =>
      listColumn<number>(
        query,
        'select cast(id as double precision) as id from passports where merged_into = $1 order by passports.id',
        [id],
      ),
    async listByIds(ids) {
      if (ids.length === 0) return []
      const rest = `where ${dialect.isIn('id', '$1')} and ${IS_VISIBLE}`
      const rows = await selectRows<StoredRow>('passports', rest, [ids])
      const found = new Map(rows.map((row) => [row.id, toPassport(row)]))
      return ids.flatMap((id) => found.get(id) ?? [])
    },
  } satisfies Partial<Store['passports']>
}

export const COUNT_PASSPORTS = 'select cast(count(*) as double precision) as count from passports'

async function findPassport(
  v3: Store['v3'],
  ref: PassportRef,
  options: FindOptions,
): Promise<PassportV3 | undefined> {
  const [found] = await v3.find([ref], options)
  return found && 'passport' in found ? found.passport : undefined
}

/** The credentials in the V1 response of a passport. */
export const createCredentials = (v3: Store['v3']): Store['credentials'] => ({
  async find(ref) {
    const found = await findPassport(v3, ref, { credentials: true })
    if (!found) return undefined
    const { credentials = [], ...passport } = found
    const read = (each: CredentialV3) => ({
      ...readCredential(each),
      ...(each.issuer !== undefined && { issuer: each.issuer }),
    })
    return { passport, credentials: credentials.map(read) }
  },
})
