import type { Database } from 'bun:sqlite'
import type { ApiKey } from '../../api-key.ts'
import { FIND_KEY, type KeyRow, toKey } from '../../sql/keys.ts'
import type { ReadTransaction } from './connect.ts'

/** Caches keys for one read transaction: consecutive requests often have the same key. */
export function createKeyFinder(reader: Database, transaction: ReadTransaction) {
  const find = reader.query<KeyRow, [string]>(FIND_KEY)
  const cache = new Map<string, ApiKey | undefined>()
  let seen = 0

  function read(id: string): ApiKey | undefined {
    const row = find.get(id)
    return row === null ? undefined : toKey(row)
  }

  return (id: string): ApiKey | undefined =>
    transaction.read(() => {
      if (transaction.number() !== seen) cache.clear()
      seen = transaction.number()
      return cache.getOrInsertComputed(id, read)
    })
}
