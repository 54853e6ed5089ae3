import type { DataPoint } from '../../domain/data-point.ts'
import type { CredentialsRow } from '../rows/credential.ts'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'
import type { Connection } from './connection.ts'

/** The stored credentials of each passport, including superseded ones. */
export async function mapCredentialRows(
  { query, dialect }: Connection,
  passportIds: readonly number[],
): Promise<Map<number, CredentialsRow>> {
  const rows = await query<CredentialsRow & { id: number }>(
    `select cast(passport_id as double precision) as id, data, body
     from credentials left join v1_credentials using (passport_id) where ${dialect.isIn('passport_id', '$1')}`,
    [passportIds],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/** All data points of each passport, by type and account. */
export async function mapDataPoints(
  { selectRows, dialect }: Connection,
  passportIds: readonly number[],
): Promise<Map<number, DataPoint[]>> {
  const rows = await selectRows<DataPointRow>(
    'data_points',
    `where ${dialect.isIn('passport_id', '$1')} order by passport_id, type, account`,
    [passportIds],
  )
  const groups = Map.groupBy(rows, ({ passport_id }) => passport_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(toDataPoint)]))
}

/** The handles of each passport, sorted. */
export async function mapHandles(
  { query, dialect }: Connection,
  passportIds: readonly number[],
): Promise<Map<number, string[]>> {
  const rows = await query<{ id: number; handle: string }>(
    `select cast(passport_id as double precision) as id, handle from handles
     where ${dialect.isIn('passport_id', '$1')}`,
    [passportIds],
  )
  const groups = Map.groupBy(rows, ({ id }) => id)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ handle }) => handle).sort()]))
}
