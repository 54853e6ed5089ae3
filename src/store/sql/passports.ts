import type { PassportRef } from '../../domain/passport.ts'
import { type StoredRow, toFullPassport, toPassport } from '../rows/passport.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { refKind, refValue, SURVIVOR_ID } from './passport-id.ts'

export function createPassportReader(connection: Connection) {
  const { query, dialect, selectRows } = connection
  return {
    async find(ref) {
      const row = await findRow(connection, ref)
      return row && toFullPassport(row, Boolean(row.merged))
    },
    async count() {
      const [row] = await query<{ count: number }>(COUNT_PASSPORTS)
      return row?.count ?? 0
    },
    async listMerged(id) {
      const rows = await query<{ id: number }>(
        'select cast(id as double precision) as id from passports where merged_into = $1 order by passports.id',
        [id],
      )
      return rows.map((row) => row.id)
    },
    async listByIds(ids) {
      if (ids.length === 0) return []
      const rest = `where ${dialect.isIn('id', '$1')} and merged_into is null order by score desc, id`
      return (await selectRows<StoredRow>('passports', rest, [ids])).map(toPassport)
    },
  } satisfies Partial<Store['passports']>
}

export const COUNT_PASSPORTS = 'select cast(count(*) as double precision) as count from passports'

/** `merged`: another passport was merged into this one. */
type FoundRow = StoredRow & { merged: number | boolean }

const MERGED = ', exists (select 1 from passports as other where other.merged_into = passports.id) as merged'

/** Finds the row of a passport, or of its survivor. */
export async function findRow({ selectRows }: Connection, ref: PassportRef): Promise<FoundRow | undefined> {
  const rest = `where id = ${SURVIVOR_ID[refKind(ref)]} and merged_into is null`
  const [row] = await selectRows<FoundRow>('passports', rest, [refValue(ref)], MERGED)
  return row
}
