import type { DataPoint } from '../../domain/data-point.ts'
import { CREDENTIAL_ACCOUNT } from '../../domain/record.ts'
import type { StoredRow } from '../rows/passport.ts'
import { type TrackedWriteModel, trackChanges } from '../v1-renderer.ts'
import type { WriteModel } from '../write-model.ts'
import { PASSPORT_COLUMNS } from './columns.ts'
import { mapCredentials, mapDataPoints } from './credentials-and-points.ts'
import { type Query, selectable } from './query.ts'
import { type Changes, type Loaded, saveChanges } from './save-changes.ts'
import { createSettings } from './settings.ts'

/** What the records of a batch name: everything that is decided about them depends on it. */
export type Named = { ids: Iterable<number>; addresses: Iterable<string>; removed: Iterable<number> }

/**
 * Loads what a batch may touch with a few statements and locks it. Decisions are made in memory, without round trips; `save`
 * writes what has changed, again with a few statements.
 */
export async function loadWriteModel(
  query: Query,
  named: Named,
): Promise<{ model: TrackedWriteModel; save: () => Promise<void> }> {
  const loaded = await load(query, named)
  const before = {
    credentials: new Set(loaded.credentials.keys()),
    dataPoints: new Set(loaded.dataPoints.keys()),
  }
  const changes: Changes = {
    passports: new Set(),
    wallets: new Set(),
    credentials: new Set(),
    dataPoints: new Set(),
    removals: new Map(),
    v1Passports: new Map(),
    v1Credentials: new Map(),
  }
  return {
    model: trackChanges(createWriteModel(loaded, changes)),
    save: () => saveChanges(query, loaded, changes, before),
  }
}

async function load(query: Query, named: Named): Promise<Loaded> {
  const addresses = [...named.addresses]
  const owners = await query<{ id: number }>(
    'select passport_id::float8 as id from wallets where address = any($1::text[])',
    [addresses],
  )
  const rows = await lockPassports(query, [...named.ids, ...owners.map(({ id }) => id)], [...named.removed])
  const ids = [...new Set([...named.ids, ...named.removed, ...rows.map(({ id }) => id)])]
  const settings = createSettings(query)
  const [wallets, credentials, points, removals, rules, adopting] = await Promise.all([
    query<{ address: string; id: number }>(
      `select address, passport_id::float8 as id from wallets
       where address = any($1::text[]) or passport_id = any($2::bigint[])`,
      [addresses, ids],
    ),
    mapCredentials(query, ids),
    mapDataPoints(query, ids),
    query<{ id: number }>(
      'select passport_id::float8 as id from removals where passport_id = any($1::bigint[])',
      [ids],
    ),
    settings.get('rules'),
    settings.get('adopting'),
  ])
  return {
    passports: new Map(rows.map((row) => [row.id, row])),
    wallets: new Map(wallets.map(({ address, id }) => [address, id])),
    credentials,
    dataPoints: new Map([...points].map(([id, list]) => [id, toPointMap(list)])),
    removals: new Set(removals.map(({ id }) => id)),
    rules: adopting ?? rules,
  }
}

function createWriteModel(loaded: Loaded, changes: Changes): WriteModel {
  const { passports } = loaded
  const wallets = createWallets(loaded, changes)
  const dataPoints = createDataPoints(loaded, changes)

  function put(row: StoredRow): void {
    passports.set(row.id, row)
    changes.passports.add(row.id)
  }

  function unlist(id: number): void {
    changes.v1Passports.set(id, undefined)
    changes.v1Credentials.set(id, undefined)
  }

  return {
    passports: {
      find: (id) => passports.get(id),
      findSurvivor: (id) => passports.get(id)?.merged_into,
      listMerged: (into) =>
        [...passports.values()].filter((row) => row.merged_into === into).map(({ id }) => id),
      insert: put,
      update: put,
      remove(id) {
        passports.delete(id)
        changes.passports.add(id)
        wallets.removeAll(id)
        loaded.credentials.delete(id)
        changes.credentials.add(id)
        dataPoints.replace(id, [])
        unlist(id)
      },
    },
    wallets,
    credentials: {
      list: (id) => loaded.credentials.get(id) ?? [],
      put(id, credentials) {
        loaded.credentials.set(id, [...credentials])
        changes.credentials.add(id)
      },
    },
    dataPoints,
    removals: {
      has: (id) => loaded.removals.has(id),
      insert(id, now) {
        loaded.removals.add(id)
        changes.removals.set(id, now)
      },
      remove(id) {
        loaded.removals.delete(id)
        changes.removals.set(id, undefined)
      },
    },
    v1: {
      putPassport: (row) => void changes.v1Passports.set(row.passport_id, row),
      putCredentials: (row) => void changes.v1Credentials.set(row.passport_id, row),
      remove: unlist,
    },
    rules: () => loaded.rules,
  }
}

function createWallets({ wallets }: Loaded, changes: Changes): WriteModel['wallets'] {
  function setOwner(address: string, passportId: number): void {
    wallets.set(address, passportId)
    changes.wallets.add(address)
  }
  return {
    findOwner: (address) => wallets.get(address),
    insert: setOwner,
    setOwner,
    removeAll(passportId) {
      for (const [address, owner] of wallets) {
        if (owner !== passportId) continue
        wallets.delete(address)
        changes.wallets.add(address)
      }
    },
  }
}

function createDataPoints({ dataPoints }: Loaded, changes: Changes): WriteModel['dataPoints'] {
  function set(passportId: number, points: Map<string, DataPoint>): void {
    dataPoints.set(passportId, points)
    changes.dataPoints.add(passportId)
  }
  return {
    has: (id) => (dataPoints.get(id)?.size ?? 0) > 0,
    find: (id, type, account) => dataPoints.get(id)?.get(pointKey({ type, account })),
    put: (id, point) => set(id, new Map(dataPoints.get(id)).set(pointKey(point), point)),
    replace: (id, points) => set(id, toPointMap(points)),
    replaceOfCredentials(id, points) {
      const others = [...(dataPoints.get(id)?.values() ?? [])].filter(
        ({ account }) => !account.startsWith(CREDENTIAL_ACCOUNT),
      )
      set(id, toPointMap([...others, ...points]))
    },
  }
}

/**
 * The passports, those they are merged into, and those merged into any of them; all locked. How many there are cannot be
 * estimated: `offset 0` and the array keep the planner from reading the whole table for a few.
 */
function lockPassports(query: Query, ids: number[], removed: number[]): Promise<StoredRow[]> {
  return query<StoredRow>(
    `with recursive down (id) as (
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
     )
     select ${selectable(PASSPORT_COLUMNS)} from passports where passports.id = any(array(select id from around))
     order by passports.id for update`,
    [ids, removed],
  )
}

const pointKey = ({ type, account }: Pick<DataPoint, 'type' | 'account'>) => JSON.stringify([type, account])

const toPointMap = (points: readonly DataPoint[]) => new Map(points.map((point) => [pointKey(point), point]))
