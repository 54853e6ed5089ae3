import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import { LONGEST_CHAIN } from '../merges.ts'
import type { V1Body, V1Passport } from '../rows/v1.ts'
import type { ReadTransaction } from './read-transaction.ts'

type PassportRow = V1Body & { id: number; merged: number }

/** The stored responses of V1. */
export function createV1Reader(reader: Database, transaction: ReadTransaction) {
  const findById = reader.query<PassportRow, [number]>(
    'select passport_id as id, body, etag, merged from v1_passports where passport_id = ?',
  )
  const findByWallet = reader.query<PassportRow, [string]>(
    `select v1.passport_id as id, body, etag, merged
     from wallets join v1_passports as v1 using (passport_id) where address = ?`,
  )
  const findCredentialsById = reader.query<V1Body, [number]>(
    'select body, etag from v1_credentials where passport_id = ?',
  )
  const findCredentialsByWallet = reader.query<V1Body, [string]>(
    'select body, etag from wallets join v1_credentials using (passport_id) where address = ?',
  )
  const listItems = reader.query<{ id: number; score: number; item: string }, [string]>(
    `select passport_id as id, score, item from v1_passports
     where passport_id in (select value from json_each(?))`,
  )
  const findOwner = reader.query<{ id: number }, [string]>(
    'select passport_id as id from wallets where address = ?',
  )
  const findSurvivor = reader.query<{ merged_into: number | null }, [number]>(
    'select merged_into from passports where id = ?',
  )

  /** The passport that a merged one leads to. A survivor may have been merged itself. */
  function survivorOf(ref: PassportRef): number | undefined {
    let id = 'id' in ref ? ref.id : findOwner.get(ref.wallet)?.id
    for (let hops = 0; id !== undefined && hops < LONGEST_CHAIN; hops++) {
      const into = findSurvivor.get(id)?.merged_into
      if (into === undefined || into === null) return id
      id = into
    }
    return undefined
  }

  return {
    /** A merged passport is found as its survivor. */
    findPassport(ref: PassportRef): V1Passport | undefined {
      transaction.begin()
      const row =
        ('id' in ref ? findById.get(ref.id) : findByWallet.get(ref.wallet)) ??
        findById.get(survivorOf(ref) ?? -1)
      return row === null ? undefined : { ...row, merged: row.merged === 1 }
    },

    findCredentials(ref: PassportRef): V1Body | undefined {
      transaction.begin()
      const row =
        ('id' in ref ? findCredentialsById.get(ref.id) : findCredentialsByWallet.get(ref.wallet)) ??
        findCredentialsById.get(survivorOf(ref) ?? -1)
      return row ?? undefined
    },

    /** List items by score, then id. Passports that were merged or removed meanwhile are left out. */
    listItems(ids: readonly number[]): string[] {
      transaction.begin()
      const rows = listItems.all(`[${ids}]`)
      // SQLite would copy the rows to sort them.
      return rows.sort((one, other) => other.score - one.score || one.id - other.id).map(({ item }) => item)
    },
  }
}
