import type { DataPoint, RawValue } from '../../domain/data-point.ts'

export type DataPointRow = {
  passport_id: number
  type: string
  account: string
  kind: RawValue['kind']
  amount: number
  display: string
  earned_at: number | null
}

export function toDataPointRow(passportId: number, { value, earnedAt, ...point }: DataPoint): DataPointRow {
  return { passport_id: passportId, ...point, ...value, earned_at: earnedAt ?? null }
}

export function toDataPoint(row: DataPointRow): DataPoint {
  return {
    type: row.type,
    account: row.account,
    value: { kind: row.kind, amount: row.amount },
    display: row.display,
    ...(row.earned_at !== null && { earnedAt: row.earned_at }),
  }
}
