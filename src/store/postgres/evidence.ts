import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import { type CredentialRow, toCredential } from '../rows/credential.ts'
import { type DataPointRow, toDataPoint } from '../rows/data-point.ts'
import { CREDENTIAL_COLUMNS, DATA_POINT_COLUMNS } from './columns.ts'
import { type Query, selectable } from './query.ts'

type Owned<Row> = Row & { passport_id: number }

const CREDENTIALS = selectable(CREDENTIAL_COLUMNS)
const DATA_POINTS = selectable(DATA_POINT_COLUMNS)

/** Those that are shown: highest score first, then by name, then by id. */
export async function listCredentials(query: Query, passportId: number): Promise<Credential[]> {
  const rows = await query<CredentialRow>(
    `select ${CREDENTIALS} from credentials where passport_id = $1 and superseded = 0
     order by credentials.score desc, credentials.name, credentials.id`,
    [passportId],
  )
  return rows.map(toCredential)
}

/** All credentials of each passport, by id. */
export async function mapCredentials(
  query: Query,
  passportIds: number[],
): Promise<Map<number, Credential[]>> {
  const rows = await query<Owned<CredentialRow>>(
    `select ${CREDENTIALS} from credentials where passport_id = any($1::bigint[])
     order by credentials.passport_id, credentials.id`,
    [passportIds],
  )
  return group(rows, toCredential)
}

/** All data points of each passport, by type and account. */
export async function mapDataPoints(query: Query, passportIds: number[]): Promise<Map<number, DataPoint[]>> {
  const rows = await query<Owned<DataPointRow>>(
    `select ${DATA_POINTS} from data_points where passport_id = any($1::bigint[])
     order by data_points.passport_id, data_points.type, data_points.account`,
    [passportIds],
  )
  return group(rows, toDataPoint)
}

function group<Row, T>(rows: Owned<Row>[], convert: (row: Row) => T): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const row of rows) {
    const group = groups.get(row.passport_id)
    if (group) group.push(convert(row))
    else groups.set(row.passport_id, [convert(row)])
  }
  return groups
}
