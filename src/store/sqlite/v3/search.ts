import type { Database } from 'bun:sqlite'
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
import type { ReadTransaction } from '../connection/read-transaction.ts'

export function createSearchReader(reader: Database, transaction: ReadTransaction): Store['search'] {
  const listSources = reader.query<{ source: string }, []>(
    `with recursive ${selectSources((handle) => `substr(${handle}, 1, instr(${handle}, ':') - 1)`)}
     select source from sources where source is not null`,
  )
  const listHandles = reader.query<FoundName, [string, string, number]>(select('handles', 'handle', '?3'))
  const listWallets = reader.query<FoundName, [string, string, number, string]>(
    selectEnds((limit) => select('wallets', 'address', limit), '?4', '?3'),
  )
  const listBodies = reader.query<BodyRow, [string]>(
    `select passport_id as id, body from v1_credentials
     where passport_id in (select value from json_each(?)) and octet_length(body) <= ${LONGEST_BODY}`,
  )
  return {
    listHandles: (prefix, limit) => transaction.read(() => listHandles.all(prefix, endOf(prefix), limit)),
    listNames: (prefix, limit) =>
      transaction.read(() =>
        listSources
          .all()
          .map(({ source }) => `${source}:${prefix}`)
          .flatMap((handle) => listHandles.all(handle, endOf(handle), limit)),
      ),
    listWallets: (prefix, limit, suffix = '') =>
      transaction.read(() => listWallets.all(prefix, endOf(prefix), limit, suffix)),
    mapCredentials: (type, ids) =>
      toBestOfType(
        type,
        transaction.read(() => listBodies.all(`[${ids}]`)),
      ),
  }
}

const select = (table: string, column: string, limit: string) =>
  `select ${column} as text, passport_id as id from ${table} where ${column} >= ?1 and ${column} < ?2
   order by ${column}, passport_id limit ${limit}`
