import type { Database } from 'bun:sqlite'
import type { PassportRef } from '../../domain/passport.ts'
import { type CredentialsRow, fromCredentialData } from '../rows/credential.ts'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'
import { toFullPassport } from '../rows/passport.ts'
import { toShownCredentials, type V1Body } from '../rows/v1.ts'
import { createFinder } from './passports.ts'
import type { ReadTransaction } from './read-transaction.ts'

/** Passports with the credentials in their V1 response. */
export function createShownCredentials(reader: Database, transaction: ReadTransaction) {
  const findPassport = createFinder(reader)
  const findBody = reader.query<Pick<V1Body, 'body'>, [number]>(
    'select body from v1_credentials where passport_id = ?',
  )
  return {
    find: (ref: PassportRef) =>
      transaction.read(() => {
        const row = findPassport(ref)
        if (!row) return undefined
        const body = findBody.get(row.id)?.body
        return {
          passport: toFullPassport(row, row.merged === 1),
          credentials: body === undefined ? [] : toShownCredentials(body),
        }
      }),
  }
}

export function createCredentialReader(reader: Database) {
  const find = reader.query<CredentialsRow, [number]>(
    'select data, body from credentials left join v1_credentials using (passport_id) where passport_id = ?',
  )
  return {
    find: (passportId: number) => find.get(passportId),
    listAll: (passportId: number) => fromCredentialData(find.get(passportId)),
  }
}

export function createDataPointReader(reader: Database) {
  const list = reader.query<DataPointRow, [number]>(
    'select * from data_points where passport_id = ? order by type, account',
  )
  return { list: (passportId: number) => list.all(passportId).map(toDataPoint) }
}
