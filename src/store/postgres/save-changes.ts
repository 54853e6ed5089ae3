import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import { toCredentialData } from '../rows/credential.ts'
import { toDataPointRow } from '../rows/data-point.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { V1CredentialsRow, V1PassportRow } from '../rows/v1.ts'
import {
  CREDENTIAL_COLUMNS,
  DATA_POINT_COLUMNS,
  PASSPORT_COLUMNS,
  REMOVAL_COLUMNS,
  V1_CREDENTIALS_COLUMNS,
  V1_PASSPORT_COLUMNS,
  WALLET_COLUMNS,
} from './columns.ts'
import { insertRows, type Query, upsertRows } from './query.ts'

/** The rows of all tables that a batch may touch, in memory. */
export type Loaded = {
  passports: Map<number, StoredRow>
  /** Owners by address. */
  wallets: Map<string, number>
  credentials: Map<number, Credential[]>
  dataPoints: Map<number, Map<string, DataPoint>>
  removals: Set<number>
  rules: string | undefined
}

/** What a batch has changed. `undefined` stands for a row that was removed. */
export type Changes = {
  passports: Set<number>
  wallets: Set<string>
  credentials: Set<number>
  dataPoints: Set<number>
  removals: Map<number, number | undefined>
  v1Passports: Map<number, V1PassportRow | undefined>
  v1Credentials: Map<number, V1CredentialsRow | undefined>
}

/** What there was of each passport, so that nothing is deleted in vain. */
type Before = { credentials: ReadonlySet<number>; dataPoints: ReadonlySet<number> }

/** Rows that belong to a passport are deleted before it and inserted after it. */
export async function saveChanges(
  query: Query,
  loaded: Loaded,
  changes: Changes,
  before: Before,
): Promise<void> {
  await deleteRows(query, loaded, changes, before)
  await writeRows(query, loaded, changes)
  await saveV1(query, changes.v1Passports, changes.v1Credentials)
}

async function deleteRows(
  query: Query,
  { passports, credentials }: Loaded,
  changes: Changes,
  before: Before,
): Promise<void> {
  const remove = async (sql: string, keys: Iterable<unknown>) => {
    const list = [...keys]
    if (list.length > 0) await query(sql, [list])
  }
  await remove('delete from wallets where address = any($1::text[])', changes.wallets)
  await remove(
    'delete from data_points where passport_id = any($1::bigint[])',
    [...changes.dataPoints].filter((id) => before.dataPoints.has(id)),
  )
  await remove('delete from removals where passport_id = any($1::bigint[])', changes.removals.keys())
  await remove(
    'delete from credentials where passport_id = any($1::bigint[])',
    [...changes.credentials].filter((id) => !credentials.has(id) && before.credentials.has(id)),
  )
  await remove(
    'delete from passports where id = any($1::bigint[])',
    [...changes.passports].filter((id) => !passports.has(id)),
  )
}

async function writeRows(
  query: Query,
  { passports, wallets, credentials, dataPoints }: Loaded,
  changes: Changes,
): Promise<void> {
  const changed = [...changes.passports].flatMap((id) => passports.get(id) ?? [])
  await upsertRows(query, 'passports', PASSPORT_COLUMNS, changed)
  const owned = [...changes.wallets].flatMap((address) => {
    const passport_id = wallets.get(address)
    return passport_id === undefined ? [] : [{ address, passport_id }]
  })
  await insertRows(query, 'wallets', WALLET_COLUMNS, owned)
  const lists = [...changes.credentials].flatMap((passport_id) => {
    const list = credentials.get(passport_id)
    return list ? [{ passport_id, data: toCredentialData(list) }] : []
  })
  await upsertRows(query, 'credentials', CREDENTIAL_COLUMNS, lists)
  const points = [...changes.dataPoints].flatMap((passport_id) =>
    [...(dataPoints.get(passport_id)?.values() ?? [])].map((point) => ({
      passport_id,
      ...toDataPointRow(point),
    })),
  )
  await insertRows(query, 'data_points', DATA_POINT_COLUMNS, points)
  const removals = [...changes.removals].flatMap(([passport_id, removed_at]) =>
    removed_at === undefined ? [] : [{ passport_id, removed_at }],
  )
  await insertRows(query, 'removals', REMOVAL_COLUMNS, removals)
}

/** Writes V1 responses; rows that stay as they were keep their version. */
export async function saveV1(
  query: Query,
  passports: ReadonlyMap<number, V1PassportRow | undefined>,
  credentials: ReadonlyMap<number, V1CredentialsRow | undefined>,
): Promise<void> {
  const unlisted = [...passports].flatMap(([id, row]) => (row ? [] : [id]))
  if (unlisted.length > 0) {
    await query(
      `with gone as (delete from v1_passports where passport_id = any($1::bigint[]) returning passport_id)
       insert into unlisted (passport_id) select passport_id from gone
       on conflict (passport_id) do update set version = excluded.version`,
      [unlisted],
    )
    await query('delete from v1_credentials where passport_id = any($1::bigint[])', [unlisted])
  }
  await upsertRows(
    query,
    'v1_passports',
    V1_PASSPORT_COLUMNS,
    [...passports.values()].flatMap((row) => row ?? []),
    { also: 'version', where: 'v1_passports.etag <> excluded.etag' },
  )
  await upsertRows(
    query,
    'v1_credentials',
    V1_CREDENTIALS_COLUMNS,
    [...credentials.values()].flatMap((row) => row ?? []),
    { where: 'v1_credentials.etag <> excluded.etag' },
  )
}
