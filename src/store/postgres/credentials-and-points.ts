import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import { type CredentialsRow, fromCredentialData } from '../rows/credential.ts'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'
import { toShownCredentials, type V1Body } from '../rows/v1.ts'
import { type Query, selectRows } from './connection/query.ts'

/** The credentials in the V1 response: highest score first, then by name, then by id. */
export async function listCredentials(query: Query, passportId: number): Promise<Credential[]> {
  const [row] = await query<Pick<V1Body, 'body'>>('select body from v1_credentials where passport_id = $1', [
    passportId,
  ])
  return row ? toShownCredentials(row.body) : []
}

/** All credentials of each passport, including superseded ones. */
export async function mapCredentials(
  query: Query,
  passportIds: number[],
): Promise<Map<number, Credential[]>> {
  const rows = await query<CredentialsRow & { id: number }>(
    `select passport_id::float8 as id, data, body from credentials left join v1_credentials using (passport_id)
     where passport_id = any($1::bigint[])`,
    [passportIds],
  )
  return new Map(rows.map(({ id, ...row }) => [id, fromCredentialData(row)]))
}

/** All data points of each passport, by type and account. */
export async function mapDataPoints(query: Query, passportIds: number[]): Promise<Map<number, DataPoint[]>> {
  const rows = await selectRows<DataPointRow>(
    query,
    'data_points',
    'where passport_id = any($1::bigint[]) order by passport_id, type, account',
    [passportIds],
  )
  const groups = Map.groupBy(rows, ({ passport_id }) => passport_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(toDataPoint)]))
}

/** The handles of each passport, sorted. */
export async function mapHandles(query: Query, passportIds: number[]): Promise<Map<number, string[]>> {
  const rows = await query<{ id: number; handle: string }>(
    'select passport_id::float8 as id, handle from handles where passport_id = any($1::bigint[])',
    [passportIds],
  )
  const groups = Map.groupBy(rows, ({ id }) => id)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ handle }) => handle).sort()]))
}
