import type { Database } from 'bun:sqlite'
import type { ApiKey } from '../../domain/api-key.ts'
import { FIND_KEY, type KeyRow, toKey } from '../sql/keys.ts'
import type { ReadTransaction } from './connect.ts'

/** Caches keys for one read transaction: consecutive requests often have the same key. */
export function createKeyFinder(reader: Database, transaction: ReadTransaction) {
  const find = reader.query<KeyRow, [string]>(FIND_KEY)
  let cache = new Map<string, ApiKey>()
  let seen = 0
  return (id: string): ApiKey | undefined =>
    transaction.read(() => {
      if (transaction.number() !== seen) cache = new Map()
      seen = transaction.number()
      const known = cache.get(id)
      if (known) return known
      const row = find.get(id)
      if (row === null) return undefined
      const key = toKey(row)
      cache.set(id, key)
      return key
    })
}
