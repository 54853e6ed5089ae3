import type { Credential } from '../../domain/credential.ts'
import type { DataPoint } from '../../domain/data-point.ts'
import { CREDENTIAL_ACCOUNT } from '../../domain/record.ts'
import { toCredentialRow } from '../rows/credential.ts'
import { toDataPointRow } from '../rows/data-point.ts'
import type { StoredRow } from '../rows/passport.ts'
import type { Tables } from '../tables.ts'
import {
  CREDENTIAL_COLUMNS,
  DATA_POINT_COLUMNS,
  NAME_COLUMNS,
  PASSPORT_COLUMNS,
  REMOVAL_COLUMNS,
  WALLET_COLUMNS,
} from './columns.ts'
import { mapDataPoints } from './evidence.ts'
import { insertRows, type Query, selectable } from './query.ts'
import { createSettings } from './settings.ts'

/** What the records of a batch name: all that is decided about them rests on it. */
export type Named = { ids: Iterable<number>; addresses: Iterable<string>; removed: Iterable<number> }

const UPDATES = Object.keys(PASSPORT_COLUMNS).map((name) => `${name} = excluded.${name}`)

/**
 * The part of the tables that a batch can touch, in memory: a few statements read it, the decisions are made
 * without a round trip, and a few statements write what has changed. The rows are locked meanwhile.
 */
export async function loadWorkingSet(query: Query, named: Named) {
  const addresses = [...named.addresses]
  const owners = await query<{ passport_id: number }>(
    'select passport_id::float8 as passport_id from wallets where address = any($1::text[])',
    [addresses],
  )
  const rows = await lockPassports(
    query,
    [...named.ids, ...owners.map((row) => row.passport_id)],
    [...named.removed],
  )
  const passports = new Map(rows.map((row) => [row.id, row]))
  const ids = [...new Set([...named.ids, ...named.removed, ...passports.keys()])]
  const settings = createSettings(query)
  const [walletRows, points, withCredentials, removed, rules, adopting] = await Promise.all([
    query<{ address: string; passport_id: number }>(
      `select address, passport_id::float8 as passport_id from wallets
       where address = any($1::text[]) or passport_id = any($2::bigint[])`,
      [addresses, ids],
    ),
    mapDataPoints(query, ids),
    query<{ id: number }>(
      `select given::float8 as id from unnest($1::bigint[]) as given
       where exists (select 1 from credentials where passport_id = given)`,
      [ids],
    ),
    query<{ id: number }>(
      'select passport_id::float8 as id from removals where passport_id = any($1::bigint[])',
      [ids],
    ),
    settings.get('rules'),
    settings.get('adopting'),
  ])

  const wallets = new Map(walletRows.map((row) => [row.address, row.passport_id]))
  const evident = new Set(withCredentials.map((row) => row.id))
  const removals = new Set(removed.map((row) => row.id))
  const pointsOf = new Map([...points].map(([id, list]) => [id, toPointMap(list)]))

  const changed = {
    passports: new Set<number>(),
    removed: new Set<number>(),
    wallets: new Set<string>(),
    names: new Map<number, string | undefined>(),
    credentials: new Map<number, readonly Credential[]>(),
    points: new Set<number>(),
    removals: new Map<number, number | undefined>(),
  }

  function put(row: StoredRow): void {
    passports.set(row.id, row)
    changed.passports.add(row.id)
  }

  function setOwner(address: string, passportId: number): void {
    wallets.set(address, passportId)
    changed.wallets.add(address)
  }

  function removeWallets(passportId: number): void {
    for (const [address, owner] of wallets) {
      if (owner !== passportId) continue
      wallets.delete(address)
      changed.wallets.add(address)
    }
  }

  function setPoints(passportId: number, points: ReadonlyMap<string, DataPoint>): void {
    pointsOf.set(passportId, new Map(points))
    changed.points.add(passportId)
  }

  const tables: Tables = {
    passports: {
      find: (id) => passports.get(id),
      findSurvivor: (id) => passports.get(id)?.merged_into,
      listMerged: (into) =>
        [...passports.values()].filter((row) => row.merged_into === into).map(({ id }) => id),
      insert: put,
      update: put,
      markStale: (id) => put({ ...(passports.get(id) as StoredRow), stale: 1 }),
      remove(id) {
        passports.delete(id)
        changed.passports.delete(id)
        changed.removed.add(id)
        removeWallets(id)
        changed.names.set(id, undefined)
        changed.credentials.set(id, [])
        setPoints(id, new Map())
      },
    },
    wallets: {
      findOwner: (address) => wallets.get(address),
      insert: setOwner,
      setOwner,
      removeAll: removeWallets,
    },
    names: {
      insert: (id, name) => void changed.names.set(id, name),
      remove: (id) => void changed.names.set(id, undefined),
    },
    credentials: {
      has: (id) => (changed.credentials.get(id)?.length ?? Number(evident.has(id))) > 0,
      insert: (id, credentials) => void changed.credentials.set(id, credentials),
      replace: (id, credentials) => void changed.credentials.set(id, credentials),
    },
    dataPoints: {
      has: (id) => (pointsOf.get(id)?.size ?? 0) > 0,
      find: (id, type, account) => pointsOf.get(id)?.get(pointKey({ type, account })),
      put: (id, point) => setPoints(id, new Map(pointsOf.get(id)).set(pointKey(point), point)),
      replace: (id, points) => setPoints(id, toPointMap(points)),
      replaceOfCredentials(id, points) {
        const others = [...(pointsOf.get(id)?.values() ?? [])].filter(
          ({ account }) => !account.startsWith(CREDENTIAL_ACCOUNT),
        )
        setPoints(id, toPointMap([...others, ...points]))
      },
    },
    removals: {
      has: (id) => removals.has(id),
      insert(id, now) {
        removals.add(id)
        changed.removals.set(id, now)
      },
      remove(id) {
        removals.delete(id)
        changed.removals.set(id, undefined)
      },
    },
    rules: () => adopting ?? rules,
  }

  /** Rows that belong to a passport go before it and come after it. */
  async function save(): Promise<void> {
    const remove = async (sql: string, keys: Iterable<unknown>) => {
      const list = [...keys]
      if (list.length > 0) await query(sql, [list])
    }
    await remove('delete from wallets where address = any($1::text[])', changed.wallets)
    await remove('delete from names where passport_id = any($1::bigint[])', changed.names.keys())
    await remove(
      'delete from credentials where passport_id = any($1::bigint[])',
      [...changed.credentials.keys()].filter((id) => evident.has(id)),
    )
    await remove(
      'delete from data_points where passport_id = any($1::bigint[])',
      [...changed.points].filter((id) => points.has(id)),
    )
    await remove('delete from removals where passport_id = any($1::bigint[])', changed.removals.keys())
    await remove(
      'delete from passports where id = any($1::bigint[])',
      [...changed.removed].filter((id) => !passports.has(id)),
    )
    await insertRows(
      query,
      'passports',
      PASSPORT_COLUMNS,
      [...changed.passports].map((id) => passports.get(id) as StoredRow),
      `on conflict (id) do update set ${UPDATES.slice(1).join(', ')}`,
    )
    await insertRows(
      query,
      'wallets',
      WALLET_COLUMNS,
      [...changed.wallets]
        .filter((address) => wallets.has(address))
        .map((address) => ({ address, passport_id: wallets.get(address) })),
    )
    await insertRows(
      query,
      'names',
      NAME_COLUMNS,
      [...changed.names].flatMap(([passport_id, name]) =>
        name === undefined ? [] : [{ passport_id, name }],
      ),
    )
    await insertRows(
      query,
      'credentials',
      CREDENTIAL_COLUMNS,
      [...changed.credentials].flatMap(([passport_id, list]) =>
        list.map((credential) => ({ passport_id, ...toCredentialRow(credential) })),
      ),
    )
    await insertRows(
      query,
      'data_points',
      DATA_POINT_COLUMNS,
      [...changed.points].flatMap((passport_id) =>
        [...(pointsOf.get(passport_id)?.values() ?? [])].map((point) => ({
          passport_id,
          ...toDataPointRow(point),
        })),
      ),
    )
    await insertRows(
      query,
      'removals',
      REMOVAL_COLUMNS,
      [...changed.removals].flatMap(([passport_id, removed_at]) =>
        removed_at === undefined ? [] : [{ passport_id, removed_at }],
      ),
    )
  }

  return { tables, save }
}

/**
 * The passports, those they are merged into, and those merged into one that is to be removed; all locked. How many there
 * are cannot be estimated: `offset 0` and the array keep the planner from reading the whole table for a few.
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
     )
     select ${selectable(PASSPORT_COLUMNS)} from passports where passports.id = any(array(select id from up))
     order by passports.id for update`,
    [ids, removed],
  )
}

const pointKey = ({ type, account }: Pick<DataPoint, 'type' | 'account'>) => JSON.stringify([type, account])

const toPointMap = (points: readonly DataPoint[]) => new Map(points.map((point) => [pointKey(point), point]))
