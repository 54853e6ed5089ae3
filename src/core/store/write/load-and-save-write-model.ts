import { handlesOf } from '../../passport/passport.ts'
import { digestOfWallet } from '../../passport/wallet-digest.ts'
import {
  type CredentialsRow,
  fromCredentialsRow,
  shownCredentialsOf,
  toCredentialsRow,
  toShown,
  toUnscoredRow,
} from '../rows/credential.ts'
import { IS_CHANGED, type ListingRow, toListing } from '../rows/listing.ts'
import {
  type DataPointRow,
  isVisible,
  parseSocials,
  type StoredRow,
  toDataPoint,
  toDataPointRow,
  toRecord,
} from '../rows/passport.ts'
import { type Connection, upsertRows } from '../sql/connection.ts'
import { findAdoptionState } from '../sql/rules.ts'
import { deleteSavedIndex } from '../sql/saved-index.ts'
import { listPassportTables } from '../sql/tables.ts'
import { isOneOfFew, selectIds, selectTexts } from '../sql/words.ts'
import { type CauseOf, listChanges } from './list-changes.ts'
import { trackOwners, UP } from './unique-accounts.ts'
import {
  type BatchRows,
  createWriteModel,
  type GivenCredentials,
  listCredentials,
  listDataPoints,
  type WriteModel,
} from './write-model.ts'

/** A removal keeps these rows: later records are skipped, and events become tombstones (`write-events.ts`). */
const KEPT_BY_REMOVALS = ['removals', 'events', 'log_secrets']

const PASSPORT = 'passport_id'

type WalletRow = { address: string; passport_id: number }
type RemovalRow = { passport_id: number; removed_at: number }

/** Loads and locks all rows of passports, and of those that own one of the addresses, with a few statements. */
export async function loadWriteModel(
  connection: Connection,
  passports: readonly number[],
  addresses: readonly string[] = [],
): Promise<WriteModel> {
  const { query } = connection
  const isListed = `address in (${selectTexts('$1')})`
  const owners = await query<WalletRow>(`select * from wallets where ${isListed}`, [addresses])
  const rows = await query<StoredRow>(`select * from passports where id in (${AROUND}) order by id LOCK`, [
    [...passports, ...owners.map(({ passport_id }) => passport_id)],
  ])
  const ids = [...new Set([...passports, ...rows.map(({ id }) => id)])]
  const [wallets, credentials, dataPoints, handles, removals, barred, adoption] = await Promise.all([
    selectOf<WalletRow>(connection, 'wallets', ids),
    mapCredentialRows(connection, ids),
    mapDataPoints(connection, ids),
    selectOf<{ handle: string }>(connection, 'handles', ids),
    selectOf<RemovalRow>(connection, 'removals', ids),
    listBarred(connection, addresses),
    findAdoptionState(query),
  ])
  const before: BatchRows = {
    passports: new Map(rows.map((row) => [row.id, row])),
    wallets: new Map([...owners, ...wallets].map(({ address, passport_id }) => [address, passport_id])),
    credentials,
    dataPoints,
    handles: groupRows(handles, ({ handle }) => handle),
    removals: new Map(removals.map(({ passport_id, removed_at }) => [passport_id, removed_at])),
    barred: new Map(barred),
  }
  return createWriteModel(before, adoption)
}

/** The barred addresses among these, and since when they are barred. */
async function listBarred({ query }: Connection, addresses: readonly string[]) {
  // Usually nobody is barred, and hashing would take 8 % of the time of an import.
  const anyBarred = 'select 1 as one from barred_wallets limit 1'
  if (addresses.length === 0 || (await query(anyBarred)).length === 0) return []
  const digests = Map.groupBy(addresses, digestOfWallet)
  const isListed = `where digest in (${selectTexts('$1')})`
  const rows = await query<{ digest: string; removed_at: number }>(
    `select * from barred_wallets ${isListed}`,
    [[...digests.keys()]],
  )
  return rows.flatMap(({ digest, removed_at }) =>
    (digests.get(digest) ?? []).map((address) => [address, removed_at] as const),
  )
}

type PassportRow<Row> = Row & { passport_id: number }

/** The rows of a table that belong to these passports. */
const selectOf = <Row>({ query }: Connection, table: string, ids: readonly number[], order = '') =>
  query<PassportRow<Row>>(`select * from ${table} where passport_id in (${selectIds('$1')}) ${order}`, [ids])

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

function groupRows<Row, Item>(rows: readonly PassportRow<Row>[], toItem: (row: Row) => Item) {
  const groups = Map.groupBy(rows, ({ passport_id }) => passport_id)
  return new Map([...groups].map(([id, group]) => [id, group.map(toItem)]))
}

export async function loadRecords(connection: Connection, rows: readonly StoredRow[]) {
  const ids = rows.map(({ id }) => id)
  const credentials = await mapCredentialRows(connection, ids)
  const points = await mapDataPoints(connection, ids)
  return rows.map((row) => ({
    ...toRecord(row),
    credentials: fromCredentialsRow(credentials.get(row.id)),
    dataPoints: points.get(row.id) ?? [],
  }))
}

/** The ids in the list $1, their survivors, and all passports that are directly or indirectly merged into these. */
export const AROUND = `with recursive ${UP}, around (id) as (
    select id from up where ${isOneOfFew('id')}
    union
    select next.id from around join passports as next on next.merged_into = around.id
    where ${isOneOfFew('around.id')}
  ) select id from around where ${isOneOfFew('id')}`

const MARK_STALE = `update passports set stale = 1 where id in (${AROUND} union ${selectIds('$2')})`

/** Derives the listing, the handles and the events of changed passports, and writes all changed rows. */
export async function saveWriteModel(connection: Connection, model: WriteModel, causeOf: CauseOf) {
  const { passports, removals, before, watched } = model
  const findAffected = watched && (await trackOwners(connection, model, watched))
  const rows = [...model.changed].flatMap((id) => passports.get(id) ?? [])
  const listing = rows.flatMap((row) => derive(model, row))
  const changes = listChanges(model, causeOf)
  const unlisted = rows.filter((row) => !isVisible(row)).map(({ id }) => id)
  const tables = listTables(model)
  await deleteRows(connection, 'listing', PASSPORT, unlisted)
  for (const { table, key, gone } of tables) await deleteRows(connection, table, key[0] as string, gone)
  for (const { table, key, written } of tables)
    if (key.length > 1) await connection.insertRows(table, written)
    else await upsertRows(connection, table, key, written)
  await saveListing(connection, listing)
  // Another passport may have taken over a wallet, so that rows refer to removed passports until now.
  const removed = [...removals.keys()].filter((id) => !before.removals.has(id))
  await removePassports(connection, removed)
  if (!findAffected) return changes
  const { ids, owners } = await findAffected()
  // Also updates passports that are stale: a scorer may have read their accounts, and must not have the last word.
  if (ids.length + owners.length > 0) await connection.query(MARK_STALE, [owners, ids])
  return changes
}

/** Sets the credentials and handles that follow from a batch. Returns the listing of a visible passport. */
function derive(model: WriteModel, row: StoredRow): ListingRow[] {
  const { before, credentials, dataPoints, handles } = model
  const { id } = row
  const [stored, changed] = [credentials.get(id), model.newCredentials.get(id)]
  const next = toStoredCredentials(stored, changed)
  // Most changed records keep their credentials.
  if (!Bun.deepEquals(next, stored)) credentials.set(id, next)
  const isSame = before.passports.get(id)?.socials === row.socials && !changed
  if (!isSame || before.dataPoints.get(id) !== dataPoints.get(id)) {
    const names = handlesOf(parseSocials(row.socials), listDataPoints(model, id), listCredentials(model, id))
    if (!Bun.deepEquals(names, handles.get(id) ?? [])) handles.set(id, names)
  }
  return isVisible(row) ? [toListing(row, changed?.shown ?? shownCredentialsOf(stored))] : []
}

function toStoredCredentials(stored: CredentialsRow | undefined, changed: GivenCredentials | undefined) {
  if (!changed) return stored ?? toCredentialsRow([])
  if (changed.shown === changed.list) return toCredentialsRow(changed.list)
  return toUnscoredRow(changed.shown ? toShown(changed.shown) : (stored?.shown ?? '[]'), changed.list)
}

const listTables = ({ before, ...after }: WriteModel) => [
  diff('passports', ['id'], before.passports, after.passports, (_, row) => [row]),
  diff('wallets', ['address'], before.wallets, after.wallets, (address, passport_id) => [
    { address, passport_id },
  ]),
  diff('credentials', [PASSPORT], before.credentials, after.credentials, (passport_id, row) => [
    { passport_id, ...row },
  ]),
  diff('removals', [PASSPORT], before.removals, after.removals, (passport_id, removed_at) => [
    { passport_id, removed_at },
  ]),
  diff('data_points', [PASSPORT, 'type', 'account'], before.dataPoints, after.dataPoints, (id, list) =>
    list.map((point) => toDataPointRow(id, point)),
  ),
  diff('handles', [PASSPORT, 'handle'], before.handles, after.handles, (passport_id, list) =>
    list.map((handle) => ({ passport_id, handle })),
  ),
  diff('barred_wallets', ['digest'], toDigests(before.barred), toDigests(after.barred), (digest, time) => [
    { digest, removed_at: time },
  ]),
]

const toDigests = (barred: ReadonlyMap<string, number>) =>
  new Map([...barred].map(([address, removedAt]) => [digestOfWallet(address), removedAt]))

/** Compares the values of the first column of a key. If the key has more columns, all rows of a value are replaced. */
function diff<Key extends string | number, Value>(
  table: string,
  key: readonly string[],
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
  toRows: (key: Key, value: Value) => object[],
) {
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (value) => before.get(value) !== after.get(value),
  )
  const gone = changed.filter((value) => key.length > 1 || !after.has(value))
  const written = changed.flatMap((value) =>
    after.has(value) ? toRows(value, after.get(value) as Value) : [],
  )
  return { table, key, gone, written }
}

async function deleteRows(
  { query }: Connection,
  table: string,
  column: string,
  keys: readonly (string | number)[],
) {
  if (keys.length === 0) return
  const select = typeof keys[0] === 'number' ? selectIds : selectTexts
  await query(`delete from ${table} where ${column} in (${select('$1')})`, [keys])
}

/** Deletes the rows of passports in every table of the database: the feature of a table may have been deleted. */
async function removePassports(connection: Connection, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  for (const table of await listPassportTables(connection))
    if (!KEPT_BY_REMOVALS.includes(table)) await deleteRows(connection, `"${table}"`, PASSPORT, ids)
  await deleteSavedIndex(connection)
}

export const saveListing = (connection: Connection, rows: readonly ListingRow[]): Promise<void> =>
  upsertRows(connection, 'listing', [PASSPORT], rows, IS_CHANGED)
