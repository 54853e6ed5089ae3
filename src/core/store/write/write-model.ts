import type { Credential } from '../../passport/credential.ts'
import type { DataPoint } from '../../passport/data-point.ts'
import { handlesOf } from '../../passport/passport.ts'
import type { PassportRecord } from '../../passport/record.ts'
import {
  type CredentialsRow,
  fromCredentialsRow,
  shownCredentialsOf,
  toCredentialsRow,
  toShown,
  toUnscoredRow,
} from '../rows/credential.ts'
import { type ListingRow, toListing } from '../rows/listing.ts'
import { isVisible, parseSocials, type StoredRow, toRecord } from '../rows/passport.ts'
import { type CauseOf, type Changes, trackEvents } from './event-tracker.ts'
import { survivorOf } from './unique-accounts.ts'

/** The rows of all tables that a batch may touch, in memory. */
export type Loaded = {
  passports: TrackedRows<number, StoredRow>
  wallets: TrackedRows<string, number>
  /** The rows before the transaction; parsed when they are needed, and replaced at its end. */
  credentials: TrackedRows<number, CredentialsRow>
  /** What the records of this batch give. `isShown`: responses will show it. Otherwise it must be scored first. */
  newCredentials: Map<number, { list: readonly Credential[]; isShown: boolean }>
  dataPoints: TrackedRows<number, readonly DataPoint[]>
  /** The handles of each passport (src/core/passport/passport.ts), sorted. */
  handles: TrackedRows<number, readonly string[]>
  /** The times of removals by id. */
  removals: TrackedRows<number, number>
  /** The wallets whose records are skipped, by address. The table has their digests. */
  barred: TrackedRows<string, number>
  /** Never loaded, only written. */
  listing: TrackedRows<number, ListingRow, ListingRow>
  /** The rule set to score with. */
  rules: string | undefined
}

/** The tables inside a write transaction. Code that saves records or merges passports uses it. */
export type WriteModel = ReturnType<typeof createWriteModel>

/** Derives the listing and the handles of changed passports: each once, in the transaction that changes it. */
export function createWriteModel(loaded: Loaded, causeOf: CauseOf) {
  const { passports, wallets, dataPoints, removals, rules } = loaded
  const events = trackEvents(passports, storedCredentials(loaded), causeOf)
  const changed = new Set<number>()
  const shown = new Map<number, readonly Credential[]>()

  /** The survivor has an event, because responses say which passports are merged into it. */
  function markSurvivor(id: number | null | undefined): void {
    if (typeof id === 'number') changed.add(survivorOf(id, passports))
  }

  return {
    passports: {
      find: passports.get,
      isStored: (record: PassportRecord) => isStored(loaded, record),
      listMerged: (into: number) =>
        [...passports.values()].filter((row) => row.merged_into === into).map((row) => row.id),
      put(row: StoredRow): void {
        events.recordBefore(row.id)
        const before = passports.get(row.id)
        if (before === undefined) shown.set(row.id, [])
        // A passport that is merged into a hidden one is hidden, too.
        const survivor = row.merged_into === null ? undefined : passports.get(row.merged_into)
        passports.set(row.id, { ...row, hidden_at: row.hidden_at ?? survivor?.hidden_at ?? null })
        changed.add(row.id)
        markSurvivor(row.merged_into)
        markSurvivor(before?.merged_into)
      },
      /** Also removes the passport's wallets, credentials, data points and handles. */
      remove(id: number): void {
        markSurvivor(passports.get(id)?.merged_into)
        events.recordRemoval(id)
        removeRows(loaded, id)
        changed.delete(id)
      },
    },
    /** The owners by address. */
    wallets: { ...wallets, list: (passportId: number) => listWallets(loaded, passportId) },
    credentials: {
      list: (id: number) => [...(shown.get(id) ?? storedCredentials(loaded).list(id))],
      put: (id: number, list: readonly Credential[], isShown: boolean) =>
        void loaded.newCredentials.set(id, { list, isShown }),
    },
    /** Replaces the credentials that responses show. Without this call, they stay unchanged. */
    showCredentials: (passportId: number, list: readonly Credential[]) => void shown.set(passportId, list),
    dataPoints: {
      list: (id: number) => [...(dataPoints.get(id) ?? [])],
      replace: (id: number, points: readonly DataPoint[], now: number) =>
        dataPoints.set(id, unique(points, dataPoints.get(id), now)),
    },
    removals,
    barred: loaded.barred,
    rules,
    /** Derives what depends on the changed passports, and returns the events. Must be called once, at the end of the transaction. */
    finish(): Changes {
      const changes = events.compare(changed, shown)
      for (const row of [...changed].flatMap((id) => passports.get(id) ?? [])) {
        storeCredentials(loaded, row, shown.get(row.id))
        storeHandles(loaded, row, events.recordBefore(row.id))
      }
      return changes
    },
  }
}

/** Whether a record says what is stored, as a line of an own export does. */
function isStored(loaded: Loaded, { credentials = [], dataPoints = [], ...record }: PassportRecord): boolean {
  const row = loaded.passports.get(record.id)
  return (
    row !== undefined &&
    Bun.deepEquals({ stale: false, ...record }, toRecord(row)) &&
    Bun.deepEquals(credentials, storedCredentials(loaded).list(row.id)) &&
    Bun.deepEquals(dataPoints, loaded.dataPoints.get(row.id) ?? [])
  )
}

const storedCredentials = ({ credentials, newCredentials }: Loaded) => ({
  list: (id: number): readonly Credential[] =>
    newCredentials.get(id)?.list ?? fromCredentialsRow(credentials.get(id)),
  /** The credentials that responses show, before this transaction. */
  listShown: (id: number) => shownCredentialsOf(credentials.get(id)),
  /** Whether the stored credentials change, even if no response shows it. */
  isRewritten(id: number): boolean {
    const given = newCredentials.get(id)
    if (given === undefined) return false
    const { given: before = null, issuers = '' } = credentials.get(id) ?? {}
    const after = given.isShown ? toCredentialsRow(given.list) : toUnscoredRow('', given.list)
    return after.given !== before || after.issuers !== issuers
  },
})

const listWallets = ({ wallets }: Loaded, passportId: number) =>
  [...wallets.entries()].flatMap(([address, owner]) => (owner === passportId ? [address] : []))

function removeRows(loaded: Loaded, id: number): void {
  for (const address of listWallets(loaded, id)) loaded.wallets.delete(address)
  const { passports, credentials, dataPoints, handles, listing } = loaded
  for (const rows of [passports, credentials, dataPoints, handles, listing]) rows.delete(id)
  loaded.newCredentials.delete(id)
}

function storeHandles(loaded: Loaded, { id, socials }: StoredRow, before?: StoredRow): void {
  const { handles, dataPoints, newCredentials } = loaded
  if (before?.socials === socials && !dataPoints.isChanged(id) && !newCredentials.has(id)) return
  const list = handlesOf(parseSocials(socials), dataPoints.get(id) ?? [], storedCredentials(loaded).list(id))
  // Most changed records keep their handles.
  if (!Bun.deepEquals(list, handles.get(id) ?? [])) handles.set(id, list)
}

/** Stores the credentials of a passport, and the listing of a visible one. `list` replaces those shown. */
function storeCredentials(loaded: Loaded, row: StoredRow, list: readonly Credential[] | undefined): void {
  const { credentials, listing } = loaded
  const shown = list ?? shownCredentialsOf(credentials.get(row.id))
  const stored = toStoredCredentials(loaded, row, list)
  // Most changed records keep their credentials.
  if (stored && !Bun.deepEquals(stored, credentials.get(row.id))) credentials.set(row.id, stored)
  if (isVisible(row)) listing.set(row.id, toListing(row, shown))
  else listing.delete(row.id)
}

/** Returns the new row of the credentials; `undefined` if it stays. */
function toStoredCredentials(
  loaded: Loaded,
  row: StoredRow,
  list: readonly Credential[] | undefined,
): CredentialsRow | undefined {
  const given = loaded.newCredentials.get(row.id)
  const isScored = given === undefined || given.isShown
  // No response shows the credentials of an earlier record.
  if (!isVisible(row)) return toCredentialsRow((isScored && list) || storedCredentials(loaded).list(row.id))
  if (isScored) return list && toCredentialsRow(list)
  const shown = list ? toShown(list) : loaded.credentials.get(row.id)?.shown
  return toUnscoredRow(shown ?? '[]', given.list)
}

/** Keeps the last data point of each type and account, and the time since when the passport has it. */
function unique(
  points: readonly DataPoint[],
  before: readonly DataPoint[] = [],
  now: number,
): readonly DataPoint[] {
  const keyOf = ({ type, account }: DataPoint) => JSON.stringify([type, account])
  const since = new Map(before.map((point) => [keyOf(point), point.addedAt ?? 0]))
  const dated = points.map((point) => {
    const key = keyOf(point)
    return [key, { ...point, addedAt: since.get(key) ?? point.addedAt ?? now }] as const
  })
  return [...new Map(dated).values()]
}

/** What a table has for a key of one of its columns, with the set of keys that changed after loading. */
export function trackRows<Key, Value, Row>(
  table: string,
  column: string,
  loaded: Iterable<readonly [Key, Value]>,
  toRows: (key: Key, value: Value) => Row[],
) {
  const rows = new Map(loaded)
  const changed = new Set<Key>()
  return {
    get: (key: Key) => rows.get(key),
    entries: () => rows.entries(),
    values: () => rows.values(),
    table,
    column,
    set(key: Key, value: Value): void {
      rows.set(key, value)
      changed.add(key)
    },
    delete(key: Key): void {
      rows.delete(key)
      changed.add(key)
    },
    isChanged: (key: Key) => changed.has(key),
    changed: () => [...changed],
    removed: () => [...changed].filter((key) => !rows.has(key)),
    written: () => [...rows].flatMap(([key, value]) => (changed.has(key) ? toRows(key, value) : [])),
  }
}

type TrackedRows<Key, Value, Row = object> = ReturnType<typeof trackRows<Key, Value, Row>>
