import type { ApiKey } from '../../domain/api-key.ts'
import type { Query } from '../sql/connection.ts'
import { FIND_KEY, type KeyRow, toKey } from '../sql/keys.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { isGone } from './connection/replicas.ts'

/** Size of the cache; it is cleared when it is full. */
const CACHE_SIZE = 10_000

/**
 * `find` reads from the primary, or from the replica if the primary is unavailable: a replica may not know a revocation. Results
 * are not cached if keys changed meanwhile, or if they come from a replica, which may lag.
 */
export function createKeyCache(primary: Pick<Pool, 'query' | 'isUp'>, replica: Query | undefined) {
  const cache = new Map<string, ApiKey>()
  let changes = 0

  async function findAndCache(id: string): Promise<ApiKey | undefined> {
    const before = changes
    let key: ApiKey | undefined
    try {
      key = await findIn(primary.query, id)
    } catch (error) {
      // The pool reports that the primary is unavailable. A slow primary is waited for: a replica may not know a revocation.
      if (!replica || !isGone(primary, error)) throw error
      return findIn(replica, id)
    }
    if (!key || changes !== before) return key
    if (cache.size >= CACHE_SIZE) cache.clear()
    cache.set(id, key)
    return key
  }

  return {
    find: (id: string) => cache.get(id) ?? findAndCache(id),
    /** To be called when keys have changed. */
    forget(): void {
      cache.clear()
      changes++
    },
  }
}

async function findIn(query: Query, id: string): Promise<ApiKey | undefined> {
  const [row] = await query<KeyRow>(FIND_KEY, [id])
  return row && toKey(row)
}
