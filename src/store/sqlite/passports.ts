import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import { type StoredRow, toFullPassport, toPassport } from '../rows/passport.ts'
import { refKind, refValue, SURVIVOR_ID } from '../sql/passport-id.ts'
import type { Store } from '../store.ts'
import type { ReadTransaction } from './connection/read-transaction.ts'

export function createPassportReader(reader: Database, transaction: ReadTransaction) {
  const find = createFinder(reader)
  const listByIds = reader.query<StoredRow, [string]>(
    'select * from passports where id in (select value from json_each(?)) and merged_into is null',
  )
  const count = reader.query<{ count: number }, []>('select count(*) as count from passports')
  const listMerged = reader.query<{ id: number }, [number]>(
    'select id from passports where merged_into = ? order by id',
  )

  return {
    find: (ref: PassportRef) =>
      transaction.read(() => {
        const row = find(ref)
        return row && toFullPassport(row, row.merged === 1)
      }),

    count: () => transaction.read(() => count.get()?.count ?? 0),

    listMerged: (id: number) => transaction.read(() => listMerged.all(id).map((row) => row.id)),

    listByIds: (ids: readonly number[]) =>
      transaction.read(() => {
        const rows = listByIds.all(`[${ids}]`)
        return rows.sort((one, other) => other.score - one.score || one.id - other.id).map(toPassport)
      }),
  } satisfies Partial<Store['passports']>
}

/** Finds the row of a passport, or of its survivor. */
export function createFinder(reader: Database) {
  const prepare = (id: string) =>
    reader.query<StoredRow & { merged: number }, [string | number]>(
      `select *, exists (select 1 from passports as other where other.merged_into = passports.id) as merged
       from passports where id = ${id} and merged_into is null`,
    )
  const find = { id: prepare(SURVIVOR_ID.id), wallet: prepare(SURVIVOR_ID.wallet) }
  return (ref: PassportRef) => find[refKind(ref)].get(refValue(ref)) ?? undefined
}
