import type { Database } from 'bun:sqlite'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'

export function createDataPointReader(reader: Database) {
  const list = reader.query<DataPointRow, [number]>(
    'select * from data_points where passport_id = ? order by type, account',
  )
  return { list: (passportId: number) => list.all(passportId).map(toDataPoint) }
}
