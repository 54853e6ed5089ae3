import type { PassportKey } from '../../passport/passport.ts'
import {
  LONGEST_CHAIN,
  MAX_READ_BYTES,
  MOST_CANDIDATES,
  MOST_OWNERS,
  SHOWN_COLUMNS,
  type ShownRow,
  toPassportV3,
} from '../rows/passport.ts'
import type { FindByKeys, FindOptions, KeyResult } from '../store.ts'
import type { Prepare } from './connection.ts'

/** The range is bounded, because a handle may have any number of owners. */
const LAST_OWNER = `coalesce((select few.passport_id from handles as few where few.handle = list.value
  order by few.passport_id limit 1 offset ${MOST_OWNERS}), ${Number.MAX_SAFE_INTEGER})`

/**
 * The passports of the keys, after any number of merges. $1 are ids, $2 wallets and $3 handles; null for keys of another
 * kind. `owners`: how many passports have the key. `survivors`: how many are left after merges.
 */
const FOUND = `with recursive asked (at, id) as (
  select key, cast(value as bigint) from LIST($1) where value is not null
  union
  select key, passport_id from LIST($2) join wallets on address = list.value
  union
  select key, passport_id from LIST($3) join handles on handle = list.value and passport_id <= ${LAST_OWNER}
), chain (at, owners, id, next, hops) as (
  select at, owners, passports.id, merged_into, 0
  from (select at, id, count(*) over (partition by at) as owners from asked) as matches
  join passports on passports.id = matches.id where hidden_at is null
  union all
  select at, owners, passports.id, merged_into, hops + 1
  from chain join passports on passports.id = next where hidden_at is null and hops < ${LONGEST_CHAIN}
), found (at, id, owners, survivors) as (
  select at, id, max(owners), count(*) over (partition by at) from chain where next is null group by at, id
)`

const MERGED_FROM = `(with recursive merged (id, hops) as (
  select other.id, 1 from passports as other where other.merged_into = passports.id and other.hidden_at is null
  union all
  select other.id, hops + 1 from merged join passports as other on other.merged_into = merged.id
  where other.hidden_at is null and hops < ${LONGEST_CHAIN}
) select string_agg(cast(id as text), ' ') from merged)`

/** One statement, so that all parts of a passport are of one moment. The contents after the first `MAX_READ_BYTES` are null. */
const find = (
  size: string,
  contents: string,
  joins: string,
) => `${FOUND}, sized (at, found, owners, survivors, bytes) as (
  select at, found.id, owners, survivors, sum(case when survivors = 1 then ${size} end)
    over (order by at, found.id rows between unbounded preceding and 1 preceding)
  from found join passports on passports.id = found.id ${joins}
)
select at, cast(found as double precision) as found, owners, survivors, ${SHOWN_COLUMNS}, ${contents},
  ${MERGED_FROM} as "mergedFrom"
from sized left join passports
  on passports.id = found and survivors = 1 and coalesce(bytes, 0) <= ${MAX_READ_BYTES} ${joins}
order by at, sized.found`

const SIZE = 'octet_length(bio) + octet_length(socials) + octet_length(tags)'

const FIND_PASSPORTS = find(SIZE, 'null as data, null as body', '')
const FIND_WITH_CREDENTIALS = find(
  `${SIZE} + coalesce(octet_length(body), 0)`,
  `coalesce(data, '') as data, body`,
  `left join v1_credentials on v1_credentials.passport_id = passports.id
   left join credentials on credentials.passport_id = passports.id`,
)

/** Most requests name one passport by id. This statement takes a third of the time. */
const FIND_BY_ID = `select ${SHOWN_COLUMNS} from passports
  where id = $1 and merged_into is null and hidden_at is null
    and not exists (select 1 from passports as other where other.merged_into = $1)`

type FoundRow = {
  at: number
  found: number
  owners: number
  survivors: number
  data: string
  body: string | null
  /** Ids, separated by blanks. */
  mergedFrom: string | null
} & (ShownRow | { id: null })

/** `mostKeys` limits a read on SQLite, because it blocks the event loop. */
export function createFindByKeys(prepare: Prepare, mostKeys = Number.POSITIVE_INFINITY): FindByKeys {
  const findById = prepare<ShownRow>(FIND_BY_ID)
  const findPassports = prepare<FoundRow>(FIND_PASSPORTS)
  const findWithCredentials = prepare<FoundRow>(FIND_WITH_CREDENTIALS)
  return async (keys, { credentials }) => {
    const [key] = keys
    if (keys.length === 1 && key && 'id' in key && !credentials) {
      const [row] = await findById(key.id)
      if (row) return [{ passport: toPassportV3(row, [], undefined) }]
    }
    const asked = keys.slice(0, mostKeys)
    const rows = await (credentials ? findWithCredentials : findPassports)(...toLists(asked))
    const groups = Map.groupBy(rows, ({ at }) => at)
    const results: KeyResult[] = []
    for (const at of asked.keys()) {
      const group = groups.get(at) ?? []
      // The contents of this passport were not read, because the page is full. The caller reads it in another call.
      if (group.length === 1 && group[0]?.id === null && group[0].owners <= MOST_OWNERS) break
      results.push(toResult(group, { credentials }))
    }
    return results
  }
}

function toResult(group: readonly FoundRow[], { credentials }: FindOptions): KeyResult {
  const [first] = group
  if (first === undefined) return undefined
  if (first.survivors > 1 || first.owners > MOST_OWNERS || first.id === null) {
    return { candidates: group.slice(0, MOST_CANDIDATES).map(({ found }) => found) }
  }
  const mergedFrom = first.mergedFrom?.split(' ').map(Number) ?? []
  return { passport: toPassportV3(first, mergedFrom, credentials ? first : undefined) }
}

/** A key with a handle is also looked up as a wallet address. */
function toLists(keys: readonly PassportKey[]): (number | string | null)[][] {
  return [
    keys.map((key) => ('id' in key ? key.id : null)),
    keys.map((key) => ('wallet' in key ? key.wallet : null)),
    keys.map((key) => ('handle' in key ? key.handle : null)),
  ]
}
