import type { PassportKey } from '../../../passport/passport.ts'
import {
  LONGEST_CHAIN,
  MAX_READ_BYTES,
  MOST_CANDIDATES,
  MOST_OWNERS,
  type StoredRow,
  toPassportV3,
} from '../../rows/passport.ts'
import type { Query } from '../../sql/connection.ts'
import type { FindOptions, KeyResult, Store } from '../../store.ts'

/** The planner cannot estimate the number of rows; `offset 0` prevents it from reading the whole table. */
const passportOf = (id: string) =>
  `lateral (select id, merged_into from passports
    where passports.id = ${id} and hidden_at is null offset 0) as passport`

/**
 * One statement, so that all parts of a passport are read at the same moment. $2 are ids, $4 wallets and $6 handles.
 * $1, $3 and $5 are their indexes in the list of keys.
 */
const FIND = `with recursive asked (at, id) as (
  select * from unnest($1::int[], $2::bigint[])
  union all
  select at, owner.passport_id from unnest($3::int[], $4::text[]) as key (at, address), lateral
    (select passport_id from wallets where wallets.address = key.address offset 0) as owner
  union all
  select at, owner.passport_id from unnest($5::int[], $6::text[]) as key (at, handle), lateral
    (select passport_id from handles where handles.handle = key.handle
     order by passport_id limit ${MOST_OWNERS + 1}) as owner
), chain (at, id, next, hops) as (
  select at, passport.id, merged_into, 0 from asked, ${passportOf('asked.id')}
  union all
  select at, passport.id, merged_into, hops + 1 from chain, ${passportOf('chain.next')} where hops < ${LONGEST_CHAIN}
), found as (
  select at, id, count(*) as paths, count(*) over (partition by at) as survivors
  from chain where next is null group by at, id
)`

type FoundRow = {
  at: number
  id: number
  /** `paths`: how many owners of the key are this passport or merged into it. `survivors`: how many passports match. */
  paths: number
  survivors: number
  row: StoredRow | null
  merged_from: number[] | null
  data: string | null
  body: string | null
}

const MERGED_FROM = `(with recursive merged (id, hops) as (
  select passports.id, 1 from passports where merged_into = found.id and hidden_at is null
  union all
  select next.id, hops + 1 from merged, lateral
    (select passports.id from passports where merged_into = merged.id and hidden_at is null offset 0) as next where hops < ${LONGEST_CHAIN}
) select json_agg(id) from merged)`

/** The contents of passports after the first `MAX_READ_BYTES` are null. */
const prepare = (size: string, contents: string) => `${FIND}, sized as (
  select found.*, sum(case when survivors = 1 then size end)
    over (order by at, id rows between unbounded preceding and 1 preceding) as before
  from found, lateral (select ${size} as size from passports where passports.id = found.id offset 0) as contents
)
select at, found.id::float8 as id, paths::float8 as paths, survivors::float8 as survivors, contents.*
from sized as found left join lateral (
  select to_json(passports) as row, ${MERGED_FROM} as merged_from ${contents}
  where passports.id = found.id and survivors = 1 and coalesce(before, 0) <= ${MAX_READ_BYTES} offset 0
) as contents on true order by at, found.id`

const SIZE = 'octet_length(bio) + octet_length(socials) + octet_length(tags)'
const BODY_SIZE = '(select octet_length(body) from v1_credentials where passport_id = found.id)'

const FIND_PASSPORTS = prepare(SIZE, ', null as data, null as body from passports')
const FIND_WITH_CREDENTIALS = prepare(
  `${SIZE} + coalesce(${BODY_SIZE}, 0)`,
  `, data, body from passports left join v1_credentials on v1_credentials.passport_id = passports.id
   left join credentials on credentials.passport_id = passports.id`,
)

/** Most requests name one passport by id. This statement takes a fifth of the time of `FIND`, which merges need. */
const FIND_BY_ID = `select to_json(passports) as row from passports
  where id = $1 and merged_into is null and hidden_at is null
    and not exists (select from passports as other where other.merged_into = $1)`

export function createV3Reader(read: Query): Store['v3'] {
  return {
    async find(keys, options) {
      const [key] = keys
      if (keys.length === 1 && key && 'id' in key && !options.credentials) {
        const [found] = await read<{ row: StoredRow }>(FIND_BY_ID, [key.id])
        if (found) return [{ passport: toPassportV3(found.row, [], undefined) }]
      }
      const sql = options.credentials ? FIND_WITH_CREDENTIALS : FIND_PASSPORTS
      const rows = await read<FoundRow>(sql, toValues(keys))
      const groups = Map.groupBy(rows, ({ at }) => at)
      const results: KeyResult[] = []
      for (const at of keys.keys()) {
        const group = groups.get(at) ?? []
        // The contents of this passport were not read, because the page is full. The caller reads it in another call.
        if (group.length === 1 && group[0]?.row === null && group[0].paths <= MOST_OWNERS) break
        results.push(toResult(group, options))
      }
      return results
    },
  }
}

function toResult(group: readonly FoundRow[], { credentials }: FindOptions): KeyResult {
  const [first] = group
  if (first === undefined) return undefined
  const owners = group.reduce((sum, { paths }) => sum + paths, 0)
  if (group.length > 1 || owners > MOST_OWNERS || first.row === null) {
    return { candidates: group.slice(0, MOST_CANDIDATES).map(({ id }) => id) }
  }
  const listed = { data: first.data ?? '', body: first.body }
  return { passport: toPassportV3(first.row, first.merged_from ?? [], credentials ? listed : undefined) }
}

/** A key with a handle is also looked up as a wallet address. */
function toValues(keys: readonly PassportKey[]): unknown[] {
  const ids: [number, number][] = []
  const wallets: [number, string][] = []
  const handles: [number, string][] = []
  for (const [at, key] of keys.entries()) {
    if ('id' in key) ids.push([at, key.id])
    else wallets.push([at, key.wallet])
    if ('handle' in key) handles.push([at, key.handle])
  }
  return [ids, wallets, handles].flatMap((pairs) => [
    pairs.map(([at]) => at),
    pairs.map(([, value]) => value),
  ])
}
