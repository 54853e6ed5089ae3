import { type Awaitable, andThen } from '../../basics/awaitable.ts'
import type { ApiKey } from '../api-key.ts'
import type { Prepare } from './connection.ts'
import { FIND_KEY, type KeyRow, toKey } from './keys.ts'

/** A revocation by another thread or node takes effect after at most this time. */
const CACHE_MILLISECONDS = 1000

const CACHE_SIZE = 10_000

export function createKeyCache(prepare: Prepare) {
  const read = prepare<KeyRow>(FIND_KEY)
  const cache = new Map<string, { key: ApiKey; readAt: number }>()

  function find(id: string): Awaitable<ApiKey | undefined> {
    const readAt = performance.now()
    const known = cache.get(id)
    if (known && readAt - known.readAt < CACHE_MILLISECONDS) return known.key
    return andThen(read(id), ([row]) => {
      const key = row && toKey(row)
      if (cache.size >= CACHE_SIZE) cache.clear()
      if (key) cache.set(id, { key, readAt })
      return key
    })
  }

  /** `forget`: call it after a change of keys, so that this thread sees it at once. */
  return { find, forget: () => cache.clear() }
}
