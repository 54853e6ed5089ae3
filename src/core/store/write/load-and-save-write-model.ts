import type { PassportRecord } from '../../passport/record.ts'
import { digestOfWallet } from '../../passport/wallet-digest.ts'
import { type CredentialsRow, fromCredentialsRow } from '../rows/credential.ts'
import { IS_CHANGED, type ListingRow } from '../rows/listing.ts'
import { type DataPointRow, type StoredRow, toDataPoint, toDataPointRow, toRecord } from '../rows/passport.ts'
import type { Connection } from '../sql/connection.ts'
import { findAdoptionState, targetRules, watchedTypes } from '../sql/rule-adoption.ts'
import { deleteSavedIndex } from '../sql/saved-index.ts'
import { listPassportTables } from '../sql/tables.ts'
import { isOneOfFew, selectIds, selectTexts } from '../sql/words.ts'
import type { CauseOf } from './event-tracker.ts'
import { findAffected, UP } from './unique-accounts.ts'
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

const PASSPORT = 'passport_id'

type WalletRow = { address: string; passport_id: number }
type RemovalRow = { passport_id: number; removed_at: number }

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
    selectOf<WalletRow>(connection, 'wallets', ids),
    mapCredentialRows(connection, ids),
    mapDataPoints(connection, ids),
    selectOf<{ handle: string }>(connection, 'handles', ids),
    selectOf<RemovalRow>(connection, 'removals', ids),
    listBarred(connection, addresses),
    findAdoptionState(connection.query),
  ])
  const passports = new Map(rows.map((row) => [row.id, row]))
  const owned = [...owners, ...wallets].map(({ address, passport_id }) => [address, passport_id] as const)
  const removed = removals.map(({ passport_id, removed_at }) => [passport_id, removed_at] as const)
  const names = groupRows(handles, ({ handle }) => handle)
  const loaded: Loaded = {
    passports: trackRows('passports', 'id', passports, (_, row) => [row]),
    wallets: trackRows('wallets', 'address', owned, (address, passport_id) => [{ address, passport_id }]),
    credentials: trackRows('credentials', PASSPORT, credentials, (passport_id, row) => [
      { passport_id, ...row },
    ]),
    newCredentials: new Map(),
    dataPoints: trackRows('data_points', PASSPORT, dataPoints, (id, list) =>
      list.map((point) => toDataPointRow(id, point)),
    ),
    handles: trackRows('handles', PASSPORT, names, (passport_id, list) =>
      list.map((handle) => ({ handle, passport_id })),
    ),
    removals: trackRows('removals', PASSPORT, removed, (passport_id, removed_at) => [
      { passport_id, removed_at },
    ]),
    barred: trackRows('barred_wallets', 'digest', barred, (address, removed_at) => [
      { digest: digestOfWallet(address), removed_at },
    ]),
    listing: trackRows('listing', PASSPORT, [], (_, row) => [row]),
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
  const rows = await selectRows<{ digest: string; removed_at: number }>('barred_wallets', isListed, [
    [...digests.keys()],
  ])
  return rows.flatMap(({ digest, removed_at }) =>
    (digests.get(digest) ?? []).map((address) => [address, removed_at] as const),
  )
}

type PassportRow<Row> = Row & { passport_id: number }

/** The rows of a table that belong to these passports. */
const selectOf = <Row>({ selectRows }: Connection, table: string, ids: readonly number[], order = '') =>
  selectRows<PassportRow<Row>>(table, `where passport_id in (${selectIds('$1')}) ${order}`, [ids])

function groupRows<Row, Item>(rows: readonly PassportRow<Row>[], toItem: (row: Row) => Item) {
  const groups = Map.groupBy(rows, ({ passport_id }) => passport_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(toItem)]))
}

/** The stored credentials of each passport, including superseded ones. */
export async function mapCredentialRows(connection: Connection, ids: readonly number[]) {
  const rows = await selectOf<CredentialsRow>(connection, 'credentials', ids)
  return new Map(rows.map(({ passport_id, ...row }): [number, CredentialsRow] => [passport_id, row]))
}

/** All data points of each passport, sorted by type and account. */
export const mapDataPoints = async (connection: Connection, ids: readonly number[]) =>
  groupRows(
    await selectOf<DataPointRow>(connection, 'data_points', ids, 'order by passport_id, type, account'),
    toDataPoint,
  )

/** The whole records of these passports. */
export async function loadRecords(
  connection: Connection,
  rows: readonly StoredRow[],
): Promise<PassportRecord[]> {
  const ids = rows.map(({ id }) => id)
  const [credentials, points] = [
    await mapCredentialRows(connection, ids),
    await mapDataPoints(connection, ids),
  ]
  return rows.map((row) => ({
    ...toRecord(row),
    credentials: fromCredentialsRow(credentials.get(row.id)),
    dataPoints: points.get(row.id) ?? [],
  }))
}

/** The ids in the list $1, their survivors, and all passports that are directly or indirectly merged into these. */
const AROUND = `with recursive ${UP}, around (id) as (
    select id from up where ${isOneOfFew('id')}
    union
    select next.id from around join passports as next on next.merged_into = around.id
    where ${isOneOfFew('around.id')}
  ) select id from around where ${isOneOfFew('id')}`

const MARK_STALE = `update passports set stale = 1 where id in (${AROUND} union ${selectIds('$2')})`

async function saveChanges(connection: Connection, loaded: Loaded): Promise<void> {
  const { passports, wallets, credentials, dataPoints, handles, removals, barred, listing } = loaded
  const remove = async (
    { table, column }: { table: string; column: string },
    keys: readonly (string | number)[],
  ) => {
    const select = column === PASSPORT ? selectIds : selectTexts
    if (keys.length > 0)
      await connection.query(`delete from ${table} where ${column} in (${select('$1')})`, [keys])
  }
  for (const rows of [wallets, removals, credentials, listing]) await remove(rows, rows.removed())
  await remove(barred, barred.removed().map(digestOfWallet))
  for (const rows of [dataPoints, handles]) await remove(rows, rows.changed())
  for (const rows of [passports, wallets, credentials, removals, barred])
    await upsertRows(connection, rows.table, rows.column, rows.written())
  // Another passport may have taken over a wallet, so that rows refer to removed passports until now.
  const added = removals.changed().filter((id) => removals.get(id) !== undefined)
  await removePassports(connection, [...passports.removed(), ...added])
  for (const rows of [dataPoints, handles]) await connection.insertRows(rows.table, rows.written())
  await saveListing(connection, listing.written())
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
