import {
  type BodyRow,
  endOf,
  type FoundName,
  LONGEST_BODY,
  selectEnds,
  selectSources,
  toBestOfType,
} from '../../sql/search.ts'
import type { Store } from '../../store.ts'
import type { Query } from '../connection/query.ts'

const select = (table: string, column: string, from: string, to: string, limit: string) =>
  `select ${column} as text, passport_id::float8 as id from ${table} where ${column} >= ${from} and ${column} < ${to}
   order by ${column}, passport_id limit ${limit}`

export const LIST_HANDLES = select('handles', 'handle', '$1', '$2', '$3')
export const LIST_WALLETS = selectEnds(
  (limit) => select('wallets', 'address', '$1', '$2', limit),
  '$4::text',
  '$3',
)
export const LIST_NAMES = `with recursive ${selectSources((handle) => `split_part(${handle}, ':', 1)`)}
  select found.* from sources, lateral (
    ${select('handles', 'handle', "source || ':' || $1::text", "source || ':' || $2::text", '$3')}
  ) as found where source is not null`

const LIST_BODIES = `select passport_id::float8 as id, body from v1_credentials
  where passport_id = any($1::bigint[]) and octet_length(body) <= ${LONGEST_BODY}`

export const createSearchReader = (read: Query): Store['search'] => ({
  listHandles: (prefix, limit) => read<FoundName>(LIST_HANDLES, [prefix, endOf(prefix), limit]),
  listNames: (prefix, limit) => read<FoundName>(LIST_NAMES, [prefix, endOf(prefix), limit]),
  listWallets: (prefix, limit, suffix = '') =>
    read<FoundName>(LIST_WALLETS, [prefix, endOf(prefix), limit, suffix]),
  mapCredentials: async (type, ids) =>
    toBestOfType(type, ids.length === 0 ? [] : await read<BodyRow>(LIST_BODIES, [ids])),
})
