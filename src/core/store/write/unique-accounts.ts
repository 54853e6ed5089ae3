import type { DataPoint, ScorablePoint } from '../../passport/data-point.ts'
import { accountKeyOf } from '../../passport/passport.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import type { Connection } from '../sql/connection.ts'
import { isOneOfFew, selectIds } from '../sql/words.ts'
import { type BatchRows, survivorOf, type WriteModel } from './write-model.ts'

/** A data point, and its account if only one passport may score with it. Otherwise `key` is empty. */
type Held = { id: number; type: string; key: string }

const keyOf = ({ type, key }: Pick<Held, 'type' | 'key'>) => JSON.stringify([type, key])

/** The passport for which each account counts: that of its oldest data point, or else that with the lowest id. */
async function mapOwners({ query }: Connection, keys: ReadonlySet<string>): Promise<Map<string, number>> {
  const pairs = [...keys].map((key) => JSON.parse(key) as [type: string, key: string])
  const rows = [...Map.groupBy(pairs, ([type]) => type)].map(([type, accounts]) =>
    query<Held>(OWNERS, [type, accounts.map(([, key]) => key)]),
  )
  return new Map((await Promise.all(rows)).flat().map((row) => [keyOf(row), row.id]))
}

const OWNERS = `select type, key, id from (
    select cast($1 as text) as type, value as key, (
      select passport_id from data_points where type = $1 and account_key = list.value and account_key <> ''
      order by added_at, passport_id limit 1
    ) as id from LIST($2)
  ) as owners where id is not null`

/** Adds to the data points whether their account counts for another passport. */
export async function addTaken(
  connection: Connection,
  passports: ReadonlyMap<number, readonly DataPoint[]>,
  { unique }: WatchedTypes,
): Promise<Map<number, ScorablePoint[]>> {
  const toKey = ({ type, account }: DataPoint) => keyOf({ type, key: accountKeyOf(account) })
  const points = [...passports.values()].flat().filter(({ type }) => unique.includes(type))
  const owners = await mapOwners(connection, new Set(points.map(toKey)))
  const survivors = await mapSurvivors(connection, [...passports.keys(), ...owners.values()])
  const isTaken = (id: number, point: DataPoint) => {
    const owner = owners.get(toKey(point))
    return owner !== undefined && survivors.get(owner) !== survivors.get(id)
  }
  const mark = (id: number, point: DataPoint) => (isTaken(id, point) ? { ...point, isTaken: true } : point)
  return new Map([...passports].map(([id, list]) => [id, list.map((point) => mark(id, point))]))
}

/** Reads each passport once, because a chain of merges can be long. */
async function mapSurvivors({ query }: Connection, ids: readonly number[]) {
  const rows = await query<{ id: number; into: number | null }>(SURVIVORS, [[...new Set(ids)]])
  const merges = new Map(rows.map(({ id, into }) => [id, { merged_into: into }]))
  return new Map(ids.map((id) => [id, survivorOf(id, merges)]))
}

/** The ids in the list $1, and all passports that these are directly or indirectly merged into. */
export const UP = `up (id) as (
    ${selectIds('$1')}
    union
    select next.merged_into from up join passports as next on next.id = up.id
    where next.merged_into is not null and ${isOneOfFew('up.id')}
  )`

const SURVIVORS = `with recursive ${UP}
  select up.id, next.merged_into as "into"
  from up join passports as next on next.id = up.id where ${isOneOfFew('up.id')}`

/**
 * Finds the passports whose score a batch may change: in the batch (`ids`), and outside, if they begin or cease to own
 * an account (`owners`). Call it before the batch is written, and its result afterwards.
 */
export async function trackOwners(connection: Connection, model: WriteModel, watched: WatchedTypes) {
  const [old, held] = [mapHeld(model.before, watched), mapHeld(model, watched)]
  const changed = [...old, ...held].flatMap(([text, each]) => (old.has(text) && held.has(text) ? [] : [each]))
  const keys = new Set(changed.filter(({ key }) => key !== '').map(keyOf))
  const holders = [...held.values()].filter((holder) => keys.has(keyOf(holder)))
  const before = await mapOwners(connection, keys)
  return async () => {
    const after = await mapOwners(connection, keys)
    const moved = [...keys].filter((key) => before.get(key) !== after.get(key))
    const owners = moved.flatMap((key) => [before.get(key) ?? [], after.get(key) ?? []].flat())
    return {
      ids: [...changed, ...holders].map(({ id }) => id),
      owners: owners.filter((id) => !model.passports.has(id) && !model.before.passports.has(id)),
    }
  }
}

/** The data points of watched types, by a text with everything on which their points depend. */
function mapHeld({ passports, dataPoints }: BatchRows, { unique, expiring }: WatchedTypes) {
  const all = new Map<string, Held>()
  for (const id of passports.keys())
    for (const { type, account, earnedAt, addedAt = 0 } of dataPoints.get(id) ?? []) {
      const isUnique = unique.includes(type)
      if (!isUnique && !expiring.includes(type)) continue
      const held = { id, type, key: isUnique ? accountKeyOf(account) : '' }
      all.set(JSON.stringify([held, addedAt, account, earnedAt, survivorOf(id, passports)]), held)
    }
  return all
}
