import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import type { PassportRef } from '../../domain/passport.ts'
import { type CredentialsRow, fromCredentialData } from '../rows/credential.ts'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'
import { toFullPassport } from '../rows/passport.ts'
import { toScorable } from '../write/apply-score.ts'
import { type Query, selectRows } from './connection/query.ts'
import { findRow } from './passports.ts'

/** SQL for columns of a passport. */
const DATA = '(select data from credentials where passport_id = passports.id) as data'
const BODY = '(select body from v1_credentials where passport_id = passports.id) as body'
const POINTS =
  '(select json_agg(data_points order by type, account) from data_points where passport_id = passports.id) as points'

/** A passport with the input of its score. */
export async function findScorable(query: Query, ref: PassportRef) {
  type Columns = { data: string | null; body: string | null; points: DataPointRow[] | null }
  const found = await findRow<Columns>(query, ref, [DATA, BODY, POINTS])
  if (!found) return undefined
  const { row, merged, data, body, points } = found
  const all = data === null ? [] : fromCredentialData({ data, body })
  return { ...toScorable(row, all, (points ?? []).map(toDataPoint)), passport: toFullPassport(row, merged) }
}

/** All credentials of each passport, including superseded ones. */
export async function mapCredentials(
  query: Query,
  passportIds: number[],
): Promise<Map<number, Credential[]>> {
  const rows = await mapCredentialRows(query, passportIds)
  return new Map([...rows].map(([id, row]) => [id, fromCredentialData(row)]))
}

export async function mapCredentialRows(
  query: Query,
  passportIds: number[],
): Promise<Map<number, CredentialsRow>> {
  const rows = await query<CredentialsRow & { id: number }>(
    `select passport_id::float8 as id, data, body from credentials left join v1_credentials using (passport_id)
     where passport_id = any($1::bigint[])`,
    [passportIds],
  )
  return new Map(rows.map(({ id, ...row }) => [id, row]))
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
