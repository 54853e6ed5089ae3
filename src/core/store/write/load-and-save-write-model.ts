import type { DataPoint } from '../../passport/data-point.ts'
import { digestOfWallet } from '../../passport/wallet-digest.ts'
import type { CredentialsRow } from '../rows/credential.ts'
import { IS_CHANGED, type ListingRow } from '../rows/listing.ts'
import { type DataPointRow, type StoredRow, toDataPoint, toDataPointRow } from '../rows/passport.ts'
import type { Connection } from '../sql/connection.ts'
import { findAdoptionState, targetRules, watchedTypes } from '../sql/rule-adoption.ts'
import { deleteSavedIndex } from '../sql/saved-index.ts'
import { listPassportTables } from '../sql/tables.ts'
import { isOneOfFew, selectIds, selectTexts } from '../sql/words.ts'
import type { CauseOf } from './event-tracker.ts'
import { findAffected } from './unique-accounts.ts'
import { createWriteModel, type Loaded, trackRows, type WriteModel } from './write-model.ts'

/** The passports and wallets that a batch refers to. */
export type BatchKeys = { ids: Iterable<number>; addresses: Iterable<string>; removed: Iterable<number> }

/** Loads and locks all rows of a batch with a few statements. The model works in memory; `save` writes the changes. */
export async function loadWriteModel(
  connection: Connection,
  named: BatchKeys,
  causeOf: CauseOf,
): Promise<{ model: WriteModel; save: () => Promise<void> }> {
  const { loaded, before, watched } = await load(connection, named)
  return {
    model: createWriteModel(loaded, causeOf),
    async save() {
      await saveChanges(connection, loaded)
      if (!watched) return
      const { ids, owners } = await findAffected(connection, before, loaded, watched)
      // Also updates passports that are stale: a scorer may have read their accounts, and must not have the last word.
      if (ids.length + owners.length > 0) await connection.query(MARK_STALE, [owners, ids])
    },
  }
}

/**
 * A removal keeps the rows of these tables: `removals` says that records of the passport are skipped, and the events
 * become tombstones, which needs the secrets of their salts (`write-events.ts`).
 */
const KEPT_BY_REMOVALS = ['removals', 'events', 'log_secrets']

type WalletRow = { address: string; passport_id: number }
type RemovalRow = { passport_id: number; removed_at: number }
type BarredRow = { digest: string; removed_at: number }

async function load(connection: Connection, named: BatchKeys) {
  const { selectRows } = connection
  const addresses = [...named.addresses]
  const owners = await selectRows<WalletRow>('wallets', `where address in (${selectTexts('$1')})`, [
    addresses,
  ])
  const rows = await selectRows<StoredRow>('passports', `where id in (${AROUND}) order by id LOCK`, [
    [...named.ids, ...named.removed, ...owners.map(({ passport_id }) => passport_id)],
  ])
  const ids = [...new Set([...named.ids, ...named.removed, ...rows.map(({ id }) => id)])]
  const [wallets, credentials, dataPoints, handles, removals, barred, adoption] = await Promise.all([
    selectRows<WalletRow>('wallets', `where passport_id in (${selectIds('$1')})`, [ids]),
    mapCredentialRows(connection, ids),
    mapDataPoints(connection, ids),
    mapHandles(connection, ids),
    selectRows<RemovalRow>('removals', `where passport_id in (${selectIds('$1')})`, [ids]),
    listBarred(connection, addresses),
    findAdoptionState(connection.query),
  ])
  const passports = new Map(rows.map((row) => [row.id, row]))
  const loaded: Loaded = {
    passports: trackRows(passports),
    wallets: trackRows([...owners, ...wallets].map(({ address, passport_id }) => [address, passport_id])),
    credentials: trackRows(credentials),
    newCredentials: new Map(),
    dataPoints: trackRows(dataPoints),
    handles: trackRows(handles),
    removals: trackRows(removals.map(({ passport_id, removed_at }) => [passport_id, removed_at])),
    barred: trackRows(barred),
    listing: trackRows(),
    rules: targetRules(adoption),
  }
  return { loaded, before: { passports, dataPoints }, watched: watchedTypes(adoption) }
}

/** The barred addresses among these, and since when they are barred. */
async function listBarred({ query, selectRows }: Connection, addresses: readonly string[]) {
  // Usually nobody is barred, and hashing would take 8 % of the time of an import.
  const anyBarred = 'select 1 as one from barred_wallets limit 1'
  if (addresses.length === 0 || (await query(anyBarred)).length === 0) return []
  const digests = Map.groupBy(addresses, digestOfWallet)
  const isListed = `where digest in (${selectTexts('$1')})`
  const rows = await selectRows<BarredRow>('barred_wallets', isListed, [[...digests.keys()]])
  return rows.flatMap(({ digest, removed_at }) =>
    (digests.get(digest) ?? []).map((address) => [address, removed_at] as const),
  )
}

/** The stored credentials of each passport, including superseded ones. */
export async function mapCredentialRows(
  { query }: Connection,
  passportIds: readonly number[],
): Promise<Map<number, CredentialsRow>> {
  const rows = await query<CredentialsRow & { id: number }>(
    `select passport_id as id, shown, given, issuers from credentials
     where passport_id in (${selectIds('$1')})`,
    [passportIds],
  )
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}

/** All data points of each passport, sorted by type and account. */
export async function mapDataPoints(
  { selectRows }: Connection,
  passportIds: readonly number[],
): Promise<Map<number, DataPoint[]>> {
  const rows = await selectRows<DataPointRow>(
    'data_points',
    `where passport_id in (${selectIds('$1')}) order by passport_id, type, account`,
    [passportIds],
  )
  const groups = Map.groupBy(rows, ({ passport_id }) => passport_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(toDataPoint)]))
}

/** The handles of each passport, sorted. */
async function mapHandles(
  { query }: Connection,
  passportIds: readonly number[],
): Promise<Map<number, string[]>> {
  const rows = await query<{ id: number; handle: string }>(
    `select passport_id as id, handle from handles
     where passport_id in (${selectIds('$1')})`,
    [passportIds],
  )
  const groups = Map.groupBy(rows, ({ id }) => id)
  return new Map([...groups].map(([id, group]) => [id, group.map(({ handle }) => handle).sort()]))
}

/** The ids in the list $1, their survivors, and all passports that are directly or indirectly merged into these. */
const AROUND = `with recursive up (id) as (
    ${selectIds('$1')}
    union
    select next.merged_into from up join passports as next on next.id = up.id
    where next.merged_into is not null and ${isOneOfFew('up.id')}
  ), around (id) as (
    select id from up where ${isOneOfFew('id')}
    union
    select next.id from around join passports as next on next.merged_into = around.id
    where ${isOneOfFew('around.id')}
  ) select id from around where ${isOneOfFew('id')}`

const MARK_STALE = `update passports set stale = 1 where id in (${AROUND} union ${selectIds('$2')})`

async function saveChanges(connection: Connection, loaded: Loaded): Promise<void> {
  const { passports, wallets, credentials, dataPoints, handles, removals, barred, listing } = loaded
  const { query, insertRows } = connection
  const removed = [
    ['wallets', 'address', wallets.removed()],
    ['removals', 'passport_id', removals.removed()],
    ['credentials', 'passport_id', credentials.removed()],
    ['data_points', 'passport_id', dataPoints.changed()],
    ['handles', 'passport_id', handles.changed()],
    ['listing', 'passport_id', listing.removed()],
    ['barred_wallets', 'digest', barred.removed().map(digestOfWallet)],
  ] as const
  const removeAll = async (table: string, column: string, keys: readonly (string | number)[]) => {
    const select = column === 'address' || column === 'digest' ? selectTexts : selectIds
    if (keys.length > 0) await query(`delete from ${table} where ${column} in (${select('$1')})`, [keys])
  }
  for (const [table, column, keys] of removed) await removeAll(table, column, keys)
  const written = [
    ['passports', 'id', passports.written((_, row) => row)],
    ['wallets', 'address', wallets.written((address, passport_id) => ({ address, passport_id }))],
    ['credentials', 'passport_id', credentials.written((passport_id, row) => ({ passport_id, ...row }))],
    ['removals', 'passport_id', removals.written((passport_id, removed_at) => ({ passport_id, removed_at }))],
    [
      'barred_wallets',
      'digest',
      barred.written((address, removed_at) => ({ digest: digestOfWallet(address), removed_at })),
    ],
  ] as const
  for (const [table, key, rows] of written) await upsertRows(connection, table, key, rows)
  // Another passport may have taken over a wallet, so that rows refer to removed passports until now.
  await removePassports(connection, [...passports.removed(), ...removals.written((id) => id)])
  await insertRows(
    'data_points',
    dataPoints.written((id, points) => points.map((point) => toDataPointRow(id, point))),
  )
  await insertRows(
    'handles',
    handles.written((passport_id, list) => list.map((handle) => ({ handle, passport_id }))),
  )
  await saveListing(
    connection,
    listing.written((_, row) => row),
  )
}

/**
 * Deletes passports, and rows with their ids in every table of the database: the feature of a table may have been
 * deleted.
 */
async function removePassports(connection: Connection, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const { query } = connection
  for (const table of await listPassportTables(connection))
    if (!KEPT_BY_REMOVALS.includes(table))
      await query(`delete from "${table}" where passport_id in (${selectIds('$1')})`, [ids])
  await deleteSavedIndex(connection)
  await query(`delete from passports where id in (${selectIds('$1')})`, [ids])
}

/** Inserts rows. A row with the same key is replaced if `where` holds. */
export async function upsertRows(
  { insertRows }: Connection,
  table: string,
  key: string,
  rows: readonly object[],
  where = 'true',
): Promise<void> {
  const updates = Object.keys(rows[0] ?? {}).map((name) => `${name} = excluded.${name}`)
  await insertRows(table, rows, `on conflict (${key}) do update set ${updates} where ${where}`)
}

export const saveListing = (connection: Connection, rows: readonly ListingRow[]): Promise<void> =>
  upsertRows(connection, 'listing', 'passport_id', rows, IS_CHANGED)
