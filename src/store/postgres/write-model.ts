import type { DataPoint } from '../../domain/data-point.ts'
import { type CredentialsRow, fromCredentialData, shownCredentialsOf } from '../rows/credential.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { CauseOf } from '../write/changes.ts'
import { targetRules } from '../write/rule-adoption.ts'
import { type TrackedWriteModel, trackChanges } from '../write/v1-renderer.ts'
import type { WriteModel } from '../write/write-model.ts'
import { type Query, selectRows } from './connection/query.ts'
import { mapCredentialRows, mapDataPoints, mapHandles } from './credentials-and-points.ts'
import { type Loaded, saveChanges } from './save-changes.ts'
import { findAdoptionState } from './settings.ts'
import { trackRows } from './tracked-rows.ts'

/** The passports and wallets that a batch refers to. */
export type BatchKeys = { ids: Iterable<number>; addresses: Iterable<string>; removed: Iterable<number> }

/** Loads and locks all rows of a batch with a few statements. The model works in memory; `save` writes the changes. */
export async function loadWriteModel(
  query: Query,
  named: BatchKeys,
  causeOf: CauseOf,
): Promise<{ model: TrackedWriteModel; save: () => Promise<void> }> {
  const { rules, credentialRows, ...loaded } = await load(query, named)
  return {
    model: trackChanges(createWriteModel(loaded, credentialRows, rules), causeOf),
    save: () => saveChanges(query, loaded),
  }
}

type WalletRow = { address: string; passport_id: number }
type RemovalRow = { passport_id: number; removed_at: number }

type Unchanged = { rules: string | undefined; credentialRows: ReadonlyMap<number, CredentialsRow> }

async function load(query: Query, named: BatchKeys): Promise<Loaded & Unchanged> {
  const addresses = [...named.addresses]
  const owners = await selectRows<WalletRow>(query, 'wallets', 'where address = any($1::text[])', [addresses])
  const rows = await lockPassports(
    query,
    [...named.ids, ...owners.map(({ passport_id }) => passport_id)],
    [...named.removed],
  )
  const ids = [...new Set([...named.ids, ...named.removed, ...rows.map(({ id }) => id)])]
  const [wallets, credentialRows, dataPoints, handles, removals, adoption] = await Promise.all([
    selectRows<WalletRow>(
      query,
      'wallets',
      'where address = any($1::text[]) or passport_id = any($2::bigint[])',
      [addresses, ids],
    ),
    mapCredentialRows(query, ids),
    mapDataPoints(query, ids),
    mapHandles(query, ids),
    selectRows<RemovalRow>(query, 'removals', 'where passport_id = any($1::bigint[])', [ids]),
    findAdoptionState(query),
  ])
  return {
    passports: trackRows(rows.map((row) => [row.id, row])),
    wallets: trackRows(wallets.map(({ address, passport_id }) => [address, passport_id])),
    credentials: trackRows(
      [...credentialRows].map(([id, row]) => [id, { list: fromCredentialData(row), isShown: false }]),
    ),
    dataPoints: trackRows(dataPoints),
    handles: trackRows(handles),
    removals: trackRows(removals.map(({ passport_id, removed_at }) => [passport_id, removed_at])),
    v1Passports: trackRows(),
    v1Credentials: trackRows(),
    touched: new Set(),
    rules: targetRules(adoption),
    credentialRows,
  }
}

function createWriteModel(
  loaded: Loaded,
  credentialRows: Unchanged['credentialRows'],
  rules: string | undefined,
): WriteModel {
  const {
    passports,
    wallets,
    credentials,
    dataPoints,
    handles,
    removals,
    v1Passports,
    v1Credentials,
    touched,
  } = loaded

  function removeWallets(passportId: number): void {
    for (const [address, owner] of wallets.entries()) if (owner === passportId) wallets.delete(address)
  }

  return {
    passports: {
      find: passports.get,
      findSurvivor: (id) => passports.get(id)?.merged_into,
      // A plain loop for speed: it runs once per passport of a batch.
      listMerged(into) {
        const ids: number[] = []
        for (const row of passports.values()) if (row.merged_into === into) ids.push(row.id)
        return ids
      },
      put: (row) => passports.set(row.id, row),
      remove(id) {
        removeWallets(id)
        for (const rows of [passports, credentials, dataPoints, handles, v1Passports, v1Credentials])
          rows.delete(id)
      },
    },
    wallets: { findOwner: wallets.get, setOwner: wallets.set, removeAll: removeWallets },
    credentials: {
      list: (id) => [...(credentials.get(id)?.list ?? [])],
      listShown: (id) => shownCredentialsOf(credentialRows.get(id)),
      put: (id, list, isShown) => credentials.set(id, { list, isShown }),
    },
    dataPoints: {
      list: (id) => [...(dataPoints.get(id) ?? [])],
      put: (id, point) => dataPoints.set(id, unique([...(dataPoints.get(id) ?? []), point])),
      replace: (id, points) => dataPoints.set(id, unique(points)),
    },
    handles: {
      replace(id, list) {
        // Most changed records keep their handles.
        if (!Bun.deepEquals(list, handles.get(id) ?? [])) handles.set(id, list)
      },
      add: handles.set,
    },
    removals: {
      has: (id) => removals.get(id) !== undefined,
      put: removals.set,
      remove: removals.delete,
    },
    v1: {
      putPassport: (row) => v1Passports.set(row.passport_id, row),
      putCredentials: (row) => v1Credentials.set(row.passport_id, row),
      touch: (id) => void touched.add(id),
      remove(id) {
        v1Passports.delete(id)
        v1Credentials.delete(id)
      },
    },
    rules: () => rules,
  }
}

/** The last point of each type and account. */
function unique(points: readonly DataPoint[]): DataPoint[] {
  return [...new Map(points.map((point) => [JSON.stringify([point.type, point.account]), point])).values()]
}

/**
 * Locks the passports, their survivors, and all passports merged into them. The planner cannot estimate their number: `offset 0`
 * and the array prevent it from reading the whole table.
 */
function lockPassports(query: Query, ids: number[], removed: number[]): Promise<StoredRow[]> {
  return selectRows<StoredRow>(
    query,
    'passports',
    `where id = any(array(with recursive down (id) as (
       select unnest($2::bigint[])
       union
       select next.id from down, lateral
         (select passports.id from passports where merged_into = down.id offset 0) as next
     ), up (id) as (
       select unnest($1::bigint[]) union select id from down
       union
       select next.id from up, lateral
         (select merged_into as id from passports where id = up.id and merged_into is not null offset 0) as next
     ), around (id) as (
       select id from up
       union
       select next.id from up, lateral
         (select passports.id from passports where merged_into = up.id offset 0) as next
     ) select id from around)) order by id for update`,
    [ids, removed],
  )
}
