import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import type { V1Body, V1Passport } from '../rows/v1.ts'
import type { Query } from './query.ts'

type PassportRow = V1Body & { id: number; merged: number }

const PASSPORT = 'select v1_passports.passport_id::float8 as id, body, etag, merged from'

/** The stored responses of V1. */
export function createV1Reader(read: Query) {
  async function findById(id: number): Promise<PassportRow | undefined> {
    const [row] = await read<PassportRow>(`${PASSPORT} v1_passports where passport_id = $1`, [id])
    return row
  }

  async function findCredentialsById(id: number): Promise<V1Body | undefined> {
    const [row] = await read<V1Body>('select body, etag from v1_credentials where passport_id = $1', [id])
    return row
  }

  /** The passport that a merged one leads to. A survivor may have been merged itself. */
  async function survivorOf(ref: PassportRef): Promise<number> {
    const [row] = await read<{ id: number }>(
      `with recursive chain (id, hops) as (
         select ${'id' in ref ? '$1::bigint' : '(select passport_id from wallets where address = $1)'}, 0
         union all
         select merged_into, hops + 1 from chain join passports using (id)
         where merged_into is not null and hops < ${LONGEST_CHAIN}
       ) select coalesce(id, -1)::float8 as id from chain order by hops desc limit 1`,
      ['id' in ref ? ref.id : ref.wallet],
    )
    return row?.id ?? -1
  }

  return {
    /** A merged passport is found as its survivor. */
    async findPassport(ref: PassportRef): Promise<V1Passport | undefined> {
      const [found] =
        'id' in ref
          ? [await findById(ref.id)]
          : await read<PassportRow>(
              `${PASSPORT} wallets join v1_passports using (passport_id) where address = $1`,
              [ref.wallet],
            )
      const row = found ?? (await findById(await survivorOf(ref)))
      return row && { ...row, merged: row.merged === 1 }
    },

    async findCredentials(ref: PassportRef): Promise<V1Body | undefined> {
      const [found] =
        'id' in ref
          ? [await findCredentialsById(ref.id)]
          : await read<V1Body>(
              'select body, etag from wallets join v1_credentials using (passport_id) where address = $1',
              [ref.wallet],
            )
      return found ?? (await findCredentialsById(await survivorOf(ref)))
    },

    /** List items by score, then id. Passports that were merged or removed meanwhile are left out. */
    async listItems(ids: readonly number[]): Promise<string[]> {
      if (ids.length === 0) return []
      const rows = await read<{ item: string }>(
        'select item from v1_passports where passport_id = any($1::bigint[]) order by score desc, passport_id',
        [ids],
      )
      return rows.map(({ item }) => item)
    },
  }
}
