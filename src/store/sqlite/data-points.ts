import type { Database } from 'bun:sqlite'
import type { DataPoint, RawValue } from '../../domain/data-point.ts'
import { CREDENTIAL_ACCOUNT } from '../../domain/record.ts'

type DataPointRow = {
  type: string
  account: string
  kind: RawValue['kind']
  amount: number
  display: string
  earned_at: number | null
}

const COLUMNS = 'type, account, kind, amount, display, earned_at'

export function createDataPointReader(reader: Database) {
  const list = reader.query<DataPointRow, [number]>(
    `select ${COLUMNS} from data_points where passport_id = ? order by type, account`,
  )
  return { list: (passportId: number) => list.all(passportId).map(toDataPoint) }
}

export function createDataPointWriter(writer: Database) {
  const find = writer.query<DataPointRow, [number, string, string]>(
    `select ${COLUMNS} from data_points where passport_id = ? and type = ? and account = ?`,
  )
  const put = writer.query(
    `insert or replace into data_points (passport_id, ${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)`,
  )
  const removeAll = writer.query('delete from data_points where passport_id = ?')
  const removeOfCredentials = writer.query('delete from data_points where passport_id = ? and account glob ?')

  function write(passportId: number, { type, account, value, display, earnedAt }: DataPoint): void {
    put.run(passportId, type, account, value.kind, value.amount, display, earnedAt ?? null)
  }

  return {
    /** Tells what it did. */
    put(passportId: number, point: DataPoint): 'added' | 'changed' | 'unchanged' {
      const before = find.get(passportId, point.type, point.account)
      if (before !== null && Bun.deepEquals(toDataPoint(before), point)) return 'unchanged'
      write(passportId, point)
      return before === null ? 'added' : 'changed'
    },
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

function toDataPoint(row: DataPointRow): DataPoint {
  return {
    type: row.type,
    account: row.account,
    value: { kind: row.kind, amount: row.amount },
    display: row.display,
    ...(row.earned_at !== null && { earnedAt: row.earned_at }),
  }
}
