import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import { toCredentialData } from '../rows/credential.ts'
import { toDataPointRow } from '../rows/data-point.ts'
import type { StoredRow } from '../rows/passport.ts'
import { IS_CHANGED, type V1CredentialsRow, type V1PassportRow } from '../rows/v1.ts'
import { insertRows, type Query, upsertRows } from './connection/query.ts'
import type { TrackedRows } from './tracked-rows.ts'

/** The rows of all tables that a batch may touch, in memory. */
export type Loaded = {
  passports: TrackedRows<number, StoredRow>
  wallets: TrackedRows<string, number>
  credentials: TrackedRows<number, { list: readonly Credential[]; isShown: boolean }>
  dataPoints: TrackedRows<number, readonly DataPoint[]>
  /** Sorted. */
  handles: TrackedRows<number, readonly string[]>
  removals: TrackedRows<number, number>
  /** Never loaded, only written. */
  v1Passports: TrackedRows<number, V1PassportRow>
  v1Credentials: TrackedRows<number, V1CredentialsRow>
  /** Listed passports with a new version. */
  touched: Set<number>
}

export async function saveChanges(query: Query, loaded: Loaded): Promise<void> {
  const { passports, wallets, credentials, dataPoints, handles, removals, v1Passports, v1Credentials } =
    loaded
  const remove = async (table: string, condition: string, keys: readonly unknown[]) => {
    if (keys.length > 0) await query(`delete from ${table} where ${condition}`, [keys])
  }
  await remove('wallets', 'address = any($1::text[])', wallets.removed())
  await remove('removals', 'passport_id = any($1::bigint[])', removals.removed())
  await remove('credentials', 'passport_id = any($1::bigint[])', credentials.removed())
  await remove('data_points', 'passport_id = any($1::bigint[])', dataPoints.changed())
  await remove('handles', 'passport_id = any($1::bigint[])', handles.changed())
  await remove('passports', 'id = any($1::bigint[])', passports.removed())

  await upsertRows(
    query,
    'passports',
    'id',
    passports.written().map(([, row]) => row),
  )
  await upsertRows(
    query,
    'wallets',
    'address',
    wallets.written().map(([address, passport_id]) => ({ address, passport_id })),
  )
  await upsertRows(
    query,
    'credentials',
    'passport_id',
    credentials.written().map(([passport_id, { list, isShown }]) => ({
      passport_id,
      data: toCredentialData(list, isShown),
    })),
  )
  await insertRows(
    query,
    'data_points',
    dataPoints.written().flatMap(([id, points]) => points.map((point) => toDataPointRow(id, point))),
  )
  await insertRows(
    query,
    'handles',
    handles.written().flatMap(([passport_id, list]) => list.map((handle) => ({ handle, passport_id }))),
  )
  await upsertRows(
    query,
    'removals',
    'passport_id',
    removals.written().map(([passport_id, removed_at]) => ({ passport_id, removed_at })),
  )
  await unlist(query, v1Passports.removed())
  await saveV1(
    query,
    v1Passports.written().map(([, row]) => row),
    v1Credentials.written().map(([, row]) => row),
    loaded.touched,
  )
}

/** Removes the V1 responses of passports that are no longer listed. */
async function unlist(query: Query, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await query(
    `with gone as (delete from v1_passports where passport_id = any($1::bigint[]) returning passport_id)
     insert into unlisted (passport_id) select passport_id from gone
     on conflict (passport_id) do update set version = excluded.version`,
    [ids],
  )
  await query('delete from v1_credentials where passport_id = any($1::bigint[])', [ids])
}

/** Writes V1 responses. Passports without a change of either response keep their version, except the `touched` ones. */
export async function saveV1(
  query: Query,
  passports: readonly V1PassportRow[],
  credentials: readonly V1CredentialsRow[],
  touched: Iterable<number> = [],
): Promise<void> {
  await upsertRows(query, 'v1_passports', 'passport_id', passports, IS_CHANGED)
  const changed = await upsertRows<{ id: number }>(
    query,
    'v1_credentials',
    'passport_id',
    credentials,
    'v1_credentials.etag <> excluded.etag returning passport_id::float8 as id',
  )
  const ids = [...touched, ...changed.map(({ id }) => id)]
  if (ids.length === 0) return
  await query(
    `update v1_passports set version = default
     where passport_id = any($1::bigint[]) and version <> pg_current_xact_id()::text::bigint`,
    [ids],
  )
}
