import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import {
  type CredentialsRow,
  fromCredentialData,
  shownCredentialsOf,
  type V1CredentialsRow,
} from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { V1PassportRow } from '../rows/v1.ts'

/** The rows of all tables that a batch may touch, in memory. */
export type Loaded = {
  passports: TrackedRows<number, StoredRow>
  wallets: TrackedRows<string, number>
  /** Only credentials that this batch writes. `isShown`: the V1 response will show them. */
  credentials: TrackedRows<number, { list: readonly Credential[]; isShown: boolean }>
  dataPoints: TrackedRows<number, readonly DataPoint[]>
  /** The handles of each passport (src/domain/passport.ts), sorted. */
  handles: TrackedRows<number, readonly string[]>
  removals: TrackedRows<number, number>
  /** V1 responses of listed passports. They are never loaded, only written. */
  v1Passports: TrackedRows<number, V1PassportRow>
  v1Credentials: TrackedRows<number, V1CredentialsRow>
  /** Listed passports that get a new version because a field that V1 does not show has changed. */
  touched: Set<number>
  /** The credentials before the transaction; parsed when they are needed. */
  credentialRows: ReadonlyMap<number, CredentialsRow>
  /** The rule set to score with. */
  rules: string | undefined
}

/** The tables inside a write transaction. Code that saves records or merges passports uses it. */
export type WriteModel = ReturnType<typeof createWriteModel>

export function createWriteModel(loaded: Loaded) {
  const { passports, wallets, credentials, dataPoints, handles, removals } = loaded
  const { v1Passports, v1Credentials, credentialRows } = loaded

  function removeWallets(passportId: number): void {
    for (const [address, owner] of wallets.entries()) if (owner === passportId) wallets.delete(address)
  }

  return {
    passports: {
      find: (id: number) => passports.get(id),
      /** The passport that this one is merged into. `null` if it is not merged, `undefined` if it does not exist. */
      findSurvivor: (id: number) => passports.get(id)?.merged_into,
      // A plain loop, because it runs once per passport of a batch and must be fast.
      listMerged(into: number): number[] {
        const ids: number[] = []
        for (const row of passports.values()) if (row.merged_into === into) ids.push(row.id)
        return ids
      },
      put: (row: StoredRow) => passports.set(row.id, row),
      /** Also removes the passport's wallets, credentials, data points, handles and V1 responses. */
      remove(id: number): void {
        removeWallets(id)
        for (const rows of [passports, credentials, dataPoints, handles, v1Passports, v1Credentials])
          rows.delete(id)
      },
    },
    wallets: { findOwner: wallets.get, setOwner: wallets.set, removeAll: removeWallets },
    credentials: {
      list: (id: number): Credential[] => {
        if (credentials.isChanged(id)) return [...(credentials.get(id)?.list ?? [])]
        return fromCredentialData(credentialRows.get(id))
      },
      /** The credentials in the V1 response of a listed passport, before this transaction. */
      listShown: (id: number) => shownCredentialsOf(credentialRows.get(id)),
      put: (id: number, list: readonly Credential[], isShown: boolean) =>
        credentials.set(id, { list, isShown }),
    },
    dataPoints: {
      list: (id: number) => [...(dataPoints.get(id) ?? [])],
      isChanged: dataPoints.isChanged,
      replace: (id: number, points: readonly DataPoint[], now: number) =>
        dataPoints.set(id, unique(points, dataPoints.get(id), now)),
    },
    removals: {
      has: (id: number) => removals.get(id) !== undefined,
      put: removals.set,
      remove: removals.delete,
    },
    rules: loaded.rules,
  }
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

/** Rows by key, with the set of keys that changed after loading. */
export function trackRows<Key, Row>(loaded: Iterable<readonly [Key, Row]> = []) {
  const rows = new Map(loaded)
  const changed = new Set<Key>()
  return {
    get: (key: Key) => rows.get(key),
    entries: () => rows.entries(),
    values: () => rows.values(),
    set(key: Key, row: Row): void {
      rows.set(key, row)
      changed.add(key)
    },
    delete(key: Key): void {
      rows.delete(key)
      changed.add(key)
    },
    isChanged: (key: Key) => changed.has(key),
    changed: () => [...changed],
    removed: () => [...changed].filter((key) => !rows.has(key)),
    written: <Written>(toWritten: (key: Key, row: Row) => Written | Written[]): Written[] =>
      [...rows].flatMap(([key, row]) => (changed.has(key) ? toWritten(key, row) : [])),
  }
}

type TrackedRows<Key, Row> = ReturnType<typeof trackRows<Key, Row>>
