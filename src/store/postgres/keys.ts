import type { ApiKey } from '../../domain/api-key.ts'
import { type KeyRow, toKey, toKeyRow } from '../rows/key.ts'
import { createKeyChanges } from '../sql/keys.ts'
import type { Store } from '../store.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { insertRows, type Query } from './connection/query.ts'
import { isGone } from './connection/replicas.ts'
import { incrementVersion } from './versions.ts'

const SELECT = 'select to_json(keys) as row, hash from keys'

type SelectedKey = { row: KeyRow; hash: Uint8Array }
const fromSelected = ({ row, hash }: SelectedKey) => toKey({ ...row, hash })

/** Size of the cache; it is cleared when it is full. */
const CACHE_SIZE = 10_000

/** `find` reads from the primary, or from the replica if the primary is unavailable: a replica may not know a revocation. */
export function createKeys(primary: Pool, replica: Pick<Pool, 'query'> | undefined) {
  const { find, forget } = createCache(primary, replica)

  /** Returns the number of changed keys. */
  async function change(text: string, values: readonly unknown[]): Promise<number> {
    const changed = await changeKeys(primary, text, values)
    forget()
    return changed
  }

  return {
    /** To be called when keys have changed. */
    forget,

    keys: {
      create: (key) => insertKey(primary, key),
      find,
      async list() {
        const rows = await primary.query<SelectedKey>(`${SELECT} order by created_at desc, id`)
        return rows.map(fromSelected)
      },
      ...createKeyChanges(change),
    } satisfies Store['keys'],
  }
}

/** Results are not cached if keys changed meanwhile, or if they come from a replica, which may lag. */
function createCache(primary: Pool, replica: Pick<Pool, 'query'> | undefined) {
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
      return findIn(replica.query, id)
    }
    if (!key || changes !== before) return key
    if (cache.size >= CACHE_SIZE) cache.clear()
    cache.set(id, key)
    return key
  }

  return {
    find: (id: string) => cache.get(id) ?? findAndCache(id),
    forget(): void {
      cache.clear()
      changes++
    },
  }
}

async function findIn(query: Query, id: string): Promise<ApiKey | undefined> {
  const [found] = await query<SelectedKey>(`${SELECT} where id = $1`, [id])
  return found && fromSelected(found)
}

const insertKey = ({ transaction }: Pool, key: ApiKey) =>
  transaction(async (query) => {
    await insertRows(query, 'keys', [{ ...toKeyRow(key), hash: `\\x${key.hash.toHex()}` }])
    await incrementVersion(query, 'keys')
  })

const changeKeys = ({ transaction }: Pool, text: string, values: readonly unknown[]) =>
  transaction(async (query) => {
    const rows = await query(text, values)
    await incrementVersion(query, 'keys')
    return rows.length
  })
