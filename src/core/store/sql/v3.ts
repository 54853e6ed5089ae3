import { andThen } from '../../basics/awaitable.ts'
import { type PassportKey, refKind, refValue } from '../../passport/passport.ts'
import type { CredentialsRow } from '../rows/credential.ts'
import {
  type FindByKeys,
  type FindOptions,
  IS_VISIBLE,
  type KeyResult,
  LONGEST_CHAIN,
  MAX_READ_BYTES,
  MOST_CANDIDATES,
  MOST_OWNERS,
  SHOWN_COLUMNS,
  type ShownRow,
  toPassportV3,
} from '../rows/passport.ts'
import type { Database, Lookup } from './connection.ts'
import { PASSPORT_ID } from './passports.ts'
import { selectIds } from './words.ts'

/** The range is bounded, because a handle may have any number of owners. */
const LAST_OWNER = `coalesce((select few.passport_id from handles as few where few.handle = list.value
  order by few.passport_id limit 1 offset ${MOST_OWNERS}), ${Number.MAX_SAFE_INTEGER})`

/** The passports of ids ($1), wallets ($2) and handles ($3), after merges. `owners`: how many have the handle. */
const FOUND = `with recursive asked (at, id, owners) as (
  select key, cast(value as bigint), 1 from LIST($1) where value is not null
  union all
  select key, passport_id, 1 from LIST($2) join wallets on address = list.value
  union all
  select key, passport_id, count(*) over (partition by key) from LIST($3)
  join handles on handle = list.value and passport_id <= ${LAST_OWNER}
), chain (at, owners, id, next, hops) as (
  select at, owners, passports.id, merged_into, 0
  from asked join passports on passports.id = asked.id where hidden_at is null
  union all
  select at, owners, passports.id, merged_into, hops + 1
  from chain join passports on passports.id = next where hidden_at is null and hops < ${LONGEST_CHAIN}
), found (at, id, owners) as (
  select at, id, max(owners) from chain where next is null group by at, id
)`

const MERGED_FROM = `(with recursive merged (id, hops) as (
  select other.id, 1 from passports as other where other.merged_into = passports.id and other.hidden_at is null
  union all
  select other.id, hops + 1 from merged join passports as other on other.merged_into = merged.id
  where other.hidden_at is null and hops < ${LONGEST_CHAIN}
) select string_agg(cast(id as text), ' ') from merged)`

const SIZE = 'octet_length(profile) + octet_length(socials)'

/** What is read of a passport: its profile, and its credentials if wanted. */
const PROFILE = { size: SIZE, contents: 'null as shown, null as given, null as issuers', joins: '' }
const WITH_CREDENTIALS = {
  size: `${SIZE} + octet_length(shown)`,
  contents: 'shown, credentials.given, issuers',
  joins: 'left join credentials on credentials.passport_id = passports.id',
}

type Parts = typeof PROFILE

/** One statement, so that all parts are of one moment. The contents after the first `MAX_READ_BYTES` are null. */
const findMany = ({ size, contents, joins }: Parts) => `${FOUND}, sized (at, found, owners, bytes) as (
  select at, found.id, owners, sum(${size})
    over (order by at, found.id rows between unbounded preceding and 1 preceding)
  from found join passports on passports.id = found.id ${joins}
)
select at, found, cast(owners as integer) as owners, ${SHOWN_COLUMNS}, ${contents},
  ${MERGED_FROM} as "mergedFrom"
from sized left join passports
  on passports.id = found and coalesce(bytes, 0) <= ${MAX_READ_BYTES} ${joins}
order by at, sized.found`

const IS_UNMERGED = `${IS_VISIBLE}
    and not exists (select 1 from passports as other where other.merged_into = passports.id)`

/** Finds a passport without merges. Most requests name one, and this takes a third of the time of `findMany`. */
const findOne = (id: string, { contents, joins }: Parts) => `select ${SHOWN_COLUMNS}, ${contents}
  from passports ${joins} where id = ${id} and ${IS_UNMERGED}`

/** Finds passports without merges in a third of the time of `findMany`; none if they are too large for one read. */
function findUnmerged({ size, contents, joins }: Parts): string {
  const passports = `passports ${joins} where id in (${selectIds('$1')})`
  return `select ${SHOWN_COLUMNS}, ${contents} from ${passports} and ${IS_UNMERGED}
    and (select sum(${size}) from ${passports}) <= ${MAX_READ_BYTES}`
}

type FoundRow = CredentialsRow & {
  at: number
  found: number
  owners: number
  mergedFrom: string | null
} & (ShownRow | { id: null })

const selectAll = (parts: Parts) => ({
  many: findMany(parts),
  ids: findUnmerged(parts),
  id: findOne(PASSPORT_ID.id, parts),
  wallet: findOne(PASSPORT_ID.wallet, parts),
})

const [FIND_PROFILE, FIND_WITH_CREDENTIALS] = [selectAll(PROFILE), selectAll(WITH_CREDENTIALS)]

/** `mostKeys` limits a read on SQLite, because it blocks the event loop. */
export function createFindByKeys({ lookup }: Database, mostKeys = Number.POSITIVE_INFINITY): FindByKeys {
  return (keys, options) => {
    const { credentials } = options
    const asked = keys.slice(0, mostKeys)
    const ids = asked.flatMap((key) => ('id' in key ? key.id : []))
    if (ids.length > 1 && ids.length === asked.length) return findByIds(lookup, ids, options)
    const [key] = keys
    if (keys.length !== 1 || !key || 'handle' in key) return findAll(lookup, asked, options)
    const select = (credentials ? FIND_WITH_CREDENTIALS : FIND_PROFILE)[refKind(key)]
    return andThen(lookup<ShownRow & CredentialsRow>(select, [refValue(key)]), ([row]) =>
      row
        ? [{ passport: toPassportV3(row, [], credentials ? row : undefined) }]
        : findAll(lookup, asked, options),
    )
  }
}

async function findAll(lookup: Lookup, keys: readonly PassportKey[], { credentials }: FindOptions) {
  const results: KeyResult[] = []
  if (keys.length === 0) return results
  const select = credentials ? FIND_WITH_CREDENTIALS : FIND_PROFILE
  const rows = await lookup<FoundRow>(select.many, toLists(keys))
  const groups = Map.groupBy(rows, ({ at }) => at)
  for (const at of keys.keys()) {
    const group = groups.get(at) ?? []
    // The contents of this passport were not read, because the page is full. The caller reads it in another call.
    if (group.length === 1 && group[0]?.id === null && group[0].owners <= MOST_OWNERS) break
    results.push(toResult(group, { credentials }))
  }
  return results
}

/** The items of lists have ids, and few of them are merged. */
async function findByIds(lookup: Lookup, ids: readonly number[], options: FindOptions) {
  const { credentials } = options
  const { ids: select } = credentials ? FIND_WITH_CREDENTIALS : FIND_PROFILE
  const results = new Map<number, KeyResult>()
  for (const row of await lookup<ShownRow & CredentialsRow>(select, [ids]))
    results.set(row.id, { passport: toPassportV3(row, [], credentials ? row : undefined) })
  const others = ids.filter((id) => !results.has(id)).map((id) => ({ id }))
  const rest = await findAll(lookup, others, options)
  for (const [at, result] of rest.entries()) results.set(others[at]?.id as number, result)
  const end = ids.findIndex((id) => !results.has(id))
  return ids.slice(0, end === -1 ? ids.length : end).map((id) => results.get(id))
}

function toResult(group: readonly FoundRow[], { credentials }: FindOptions): KeyResult {
  const [first] = group
  if (first === undefined) return undefined
  if (group.length > 1 || first.owners > MOST_OWNERS || first.id === null)
    return { candidates: group.slice(0, MOST_CANDIDATES).map(({ found: id }) => id) }
  const mergedFrom = first.mergedFrom?.split(' ').map(Number) ?? []
  return { passport: toPassportV3(first, mergedFrom, credentials ? first : undefined) }
}

/** A key with a handle is also looked up as a wallet address. Keys of another kind are null. */
const toLists = (keys: readonly PassportKey[]): (number | string | null)[][] => [
  keys.map((key) => ('id' in key ? key.id : null)),
  keys.map((key) => ('wallet' in key ? key.wallet : null)),
  keys.map((key) => ('handle' in key ? key.handle : null)),
]
