import type { Database } from 'bun:sqlite'
import {
  type BodyRow,
  endOf,
  type FoundName,
  LONGEST_BODY,
  selectSources,
  toBestOfType,
} from '../../rows/search.ts'
import type { Store } from '../../store.ts'
import type { ReadTransaction } from '../read-transaction.ts'

export function createSearchReader(reader: Database, transaction: ReadTransaction): Store['search'] {
  const listSources = reader.query<{ source: string }, []>(
    `with recursive ${selectSources((handle) => `substr(${handle}, 1, instr(${handle}, ':') - 1)`)}
     select source from sources where source is not null`,
  )
  const listHandles = prepare(reader, 'handles', 'handle')
  const listWallets = prepare(reader, 'wallets', 'address')
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
    listWallets: (prefix, limit) => transaction.read(() => listWallets.all(prefix, endOf(prefix), limit)),
    mapCredentials: (type, ids) =>
      toBestOfType(
        type,
        transaction.read(() => listBodies.all(`[${ids}]`)),
      ),
  }
}

const prepare = (reader: Database, table: string, column: string) =>
  reader.query<FoundName, [string, string, number]>(
    `select ${column} as text, passport_id as id from ${table} where ${column} >= ? and ${column} < ?
     order by ${column}, passport_id limit ?`,
  )
