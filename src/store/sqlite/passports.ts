import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import { type StoredRow, toFullPassport, toPassport } from '../rows/passport.ts'
import type { Store } from '../store.ts'
import type { ReadTransaction } from './read-transaction.ts'

export function createPassportReader(reader: Database, transaction: ReadTransaction) {
  const findById = reader.query<StoredRow & { merged: number }, [number]>(
    `select *, exists (select 1 from passports as other where other.merged_into = passports.id) as merged
     from passports where id = ?`,
  )
  const findOwner = reader.query<{ passport_id: number }, [string]>(
    'select passport_id from wallets where address = ?',
  )
  const listByIds = reader.query<StoredRow, [string]>(
    `select * from passports where id in (select value from json_each(?)) and merged_into is null`,
  )
  const count = reader.query<{ count: number }, []>('select count(*) as count from passports')

  return {
    find(ref: PassportRef) {
      transaction.begin()
      let id = 'id' in ref ? ref.id : findOwner.get(ref.wallet)?.passport_id
      // A passport may be merged into one that was merged itself.
      for (let hops = 0; id !== undefined && hops < LONGEST_CHAIN; hops++) {
        const row = findById.get(id)
        if (row === null) return undefined
        if (row.merged_into === null) return toFullPassport(row, row.merged === 1)
        id = row.merged_into
      }
      return undefined
    },

    count() {
      transaction.begin()
      return count.get()?.count ?? 0
    },

    listByIds(ids: readonly number[]) {
      transaction.begin()
      const rows = listByIds.all(`[${ids}]`)
      return rows.sort((one, other) => other.score - one.score || one.id - other.id).map(toPassport)
    },
  } satisfies Partial<Store['passports']>
}
