import type { Database } from 'bun:sqlite'
import { type CredentialsRow, fromCredentialData } from '../rows/credential.ts'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'

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
