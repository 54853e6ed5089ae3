import type { DataPoint, RawValue } from '../../domain/data-point.ts'

export type DataPointRow = {
  type: string
  account: string
  kind: RawValue['kind']
  amount: number
  display: string
  earned_at: number | null
}

export const DATA_POINT_COLUMNS = 'type, account, kind, amount, display, earned_at'

export function toDataPointRow({ type, account, value, display, earnedAt }: DataPoint): DataPointRow {
  return { type, account, kind: value.kind, amount: value.amount, display, earned_at: earnedAt ?? null }
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
