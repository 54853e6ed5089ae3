import type { Database } from 'bun:sqlite'
import type { DataPoint } from '../../domain/data-point.ts'
import { CREDENTIAL_ACCOUNT } from '../../domain/record.ts'
import { DATA_POINT_COLUMNS, type DataPointRow, toDataPoint } from '../rows/data-point.ts'

export function createDataPointReader(reader: Database) {
  const list = reader.query<DataPointRow, [number]>(
    `select ${DATA_POINT_COLUMNS} from data_points where passport_id = ? order by type, account`,
  )
  return { list: (passportId: number) => list.all(passportId).map(toDataPoint) }
}

export function createDataPointWriter(writer: Database) {
  const any = writer.query('select 1 from data_points where passport_id = ? limit 1')
  const find = writer.query<DataPointRow, [number, string, string]>(
    `select ${DATA_POINT_COLUMNS} from data_points where passport_id = ? and type = ? and account = ?`,
  )
  const put = writer.query(
    `insert or replace into data_points (passport_id, ${DATA_POINT_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const removeAll = writer.query('delete from data_points where passport_id = ?')
  const removeOfCredentials = writer.query('delete from data_points where passport_id = ? and account glob ?')

  function write(passportId: number, { type, account, value, display, earnedAt }: DataPoint): void {
    put.run(passportId, type, account, value.kind, value.amount, display, earnedAt ?? null)
  }

  return {
    has: (passportId: number) => any.get(passportId) !== null,
    find(passportId: number, type: string, account: string): DataPoint | undefined {
      const row = find.get(passportId, type, account)
      return row === null ? undefined : toDataPoint(row)
    },
    put: write,
    replace(passportId: number, points: readonly DataPoint[]): void {
      removeAll.run(passportId)
      for (const point of points) write(passportId, point)
    },
    /** Those that were read from credentials; the others stay. */
    replaceOfCredentials(passportId: number, points: readonly DataPoint[]): void {
      removeOfCredentials.run(passportId, `${CREDENTIAL_ACCOUNT}*`)
      for (const point of points) write(passportId, point)
    },
  }
}
