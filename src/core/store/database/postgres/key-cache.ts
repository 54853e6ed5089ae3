import type { ApiKey } from '../../api-key.ts'
import type { Query } from '../../sql/connection.ts'
import { FIND_KEY, type KeyRow, toKey } from '../../sql/keys.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { isGone } from './connection/replicas.ts'

/** The cache is cleared when it has this many keys. */
const CACHE_SIZE = 10_000

/**
 * `find` reads from the primary, and from a replica only if the primary is down: a replica may lack a revocation. A
 * key is not cached if it comes from a replica, or if keys changed during the read.
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
      // The pool itself reports that the primary is down. A slow primary is not replaced by a replica.
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
    /** Call it when keys have changed. */
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
