import type { DataPoint, ScorablePoint } from '../../passport/data-point.ts'
import { accountKeyOf } from '../../passport/passport.ts'
import type { WatchedTypes } from '../../passport/rules/rule-set.ts'
import { LONGEST_CHAIN, type StoredRow } from '../rows/passport.ts'
import type { Connection } from '../sql/connection.ts'
import { isOneOfFew, selectIds } from '../sql/words.ts'

/** A data point, and its account if only one passport may score with it. Otherwise `key` is empty. */
type Held = { id: number; type: string; key: string; addedAt: number }

const keyOf = ({ type, key }: Pick<Held, 'type' | 'key'>) => JSON.stringify([type, key])

/** The account counts for the passport of its first data point: the oldest one, or else that with the lowest id. */
const isEarlier = (one: Held | undefined, other: Held) =>
  one !== undefined && (one.addedAt < other.addedAt || (one.addedAt === other.addedAt && one.id < other.id))

/** The first data point of each account, except those of the passports in `except`. */
async function listFirst({ query }: Connection, keys: ReadonlySet<string>, except: readonly number[]) {
  const pairs = [...keys].map((key) => JSON.parse(key) as [type: string, key: string])
  const firsts = [...Map.groupBy(pairs, ([type]) => type)].map(([type, accounts]) =>
    query<Held>(FIRST_HOLDERS, [type, accounts.map(([, key]) => key), except]),
  )
  return (await Promise.all(firsts)).flat().filter(({ id }) => id !== null)
}

const selectFirst = (column: string) => `(select ${column} from data_points
  where type = $1 and account_key = list.value and account_key <> '' and passport_id not in (${selectIds('$3')})
  order by added_at, passport_id limit 1)`

const FIRST_HOLDERS = `select cast($1 as text) as type, value as key, ${selectFirst('passport_id')} as id,
  ${selectFirst('added_at')} as "addedAt" from LIST($2)`
/** Adds to the data points whether their account counts for another passport. */
export async function addTaken(
  connection: Connection,
  passports: ReadonlyMap<number, readonly DataPoint[]>,
  { unique }: WatchedTypes,
): Promise<Map<number, ScorablePoint[]>> {
  const toKey = ({ type, account }: DataPoint) => keyOf({ type, key: accountKeyOf(account) })
  const points = [...passports.values()].flat().filter(({ type }) => unique.includes(type))
  const firsts = await listFirst(connection, new Set(points.map(toKey)), [])
  const owners = new Map(firsts.map((first) => [keyOf(first), first.id]))
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

const SURVIVORS = `with recursive up (id) as (
    ${selectIds('$1')}
    union
    select next.merged_into from up join passports as next on next.id = up.id
    where next.merged_into is not null and ${isOneOfFew('up.id')}
  )
  select up.id, next.merged_into as "into"
  from up join passports as next on next.id = up.id where ${isOneOfFew('up.id')}`

type Rows<Row> = { get(id: number): Row | undefined; entries(): Iterable<[number, Row]> }
type State = { passports: Rows<StoredRow>; dataPoints: Rows<readonly DataPoint[]> }

/**
 * Finds the passports whose score may change because of a batch: those of the batch (`ids`), and those outside that
 * begin or cease to own an account (`owners`). The states must include all passports that are merged into each other.
 */
export async function findAffected(
  connection: Connection,
  before: State,
  after: State,
  watched: WatchedTypes,
): Promise<{ ids: number[]; owners: number[] }> {
  const [old, held] = [mapHeld(before, watched), mapHeld(after, watched)]
  const changed = [...old, ...held].flatMap(([text, each]) => (old.has(text) && held.has(text) ? [] : [each]))
  const keys = new Set(changed.filter(({ key }) => key !== '').map(keyOf))
  const loaded = [...after.passports.entries()].map(([id]) => id)
  const outside = await listFirst(connection, keys, loaded)
  const [firstBefore, firstAfter] = [mapFirst(old.values()), mapFirst(held.values())]
  const owners = outside.filter((first) => {
    const key = keyOf(first)
    return isEarlier(firstBefore.get(key), first) !== isEarlier(firstAfter.get(key), first)
  })
  const holders = [...held.values()].filter((each) => keys.has(keyOf(each)))
  return { ids: [...changed, ...holders].map(({ id }) => id), owners: owners.map(({ id }) => id) }
}

function mapFirst(all: Iterable<Held>): Map<string, Held> {
  const firsts = new Map<string, Held>()
  for (const each of all) if (!isEarlier(firsts.get(keyOf(each)), each)) firsts.set(keyOf(each), each)
  return firsts
}

/** The data points of watched types, by a text with everything on which their points depend. */
function mapHeld({ passports, dataPoints }: State, { unique, expiring }: WatchedTypes): Map<string, Held> {
  const all = new Map<string, Held>()
  for (const [id] of passports.entries()) {
    const survivor = survivorOf(id, passports)
    for (const { type, account, earnedAt, addedAt = 0 } of dataPoints.get(id) ?? []) {
      const isUnique = unique.includes(type)
      if (!isUnique && !expiring.includes(type)) continue
      const held = { id, type, key: isUnique ? accountKeyOf(account) : '', addedAt }
      all.set(JSON.stringify([held, account, earnedAt, survivor]), held)
    }
  }
  return all
}

type Merges = Pick<Rows<Pick<StoredRow, 'merged_into'>>, 'get'>

export function survivorOf(id: number, passports: Merges): number {
  let survivor = id
  for (let hops = 0; hops < LONGEST_CHAIN; hops++) {
    const into = passports.get(survivor)?.merged_into
    if (typeof into !== 'number') break
    survivor = into
  }
  return survivor
}
