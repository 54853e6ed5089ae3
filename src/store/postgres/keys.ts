import type { ApiKey } from '../../domain/api-key.ts'
import { type KeyRow, toKey } from '../rows/key.ts'
import type { Store } from '../store.ts'
import type { Link } from './link.ts'
import { type Query, selectable } from './query.ts'
import { bump } from './versions.ts'

const COLUMNS = selectable({
  id: 'text',
  name: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  revoked_at: 'bigint',
})

/** Keys held in memory; more of them in use at once are asked for each time. */
const REMEMBERED = 10_000

/** `find` asks the primary, or where it is away the replica: a key must not work longer than it should. */
export function createKeys(primary: Link, findIn: Query) {
  const remembered = new Map<string, ApiKey>()

  return {
    /** Keys have changed. */
    forget: () => remembered.clear(),

    keys: {
      async create({ id, name, hash, createdAt, expiresAt, revokedAt }) {
        await primary.transaction(async (query) => {
          await query(
            `insert into keys (id, name, hash, created_at, expires_at, revoked_at) values ($1, $2, $3, $4, $5, $6)`,
            [id, name, hash, createdAt, expiresAt ?? null, revokedAt ?? null],
          )
          await bump(query, 'keys')
        })
      },
      find(id) {
        const known = remembered.get(id)
        if (known) return known
        return findIn<KeyRow>(`select ${COLUMNS}, hash from keys where id = $1`, [id]).then(([row]) => {
          if (!row) return undefined
          const key = toKey(row)
          if (remembered.size >= REMEMBERED) remembered.clear()
          remembered.set(id, key)
          return key
        })
      },
      async list() {
        const rows = await primary.query<KeyRow>(
          `select ${COLUMNS}, hash from keys order by keys.created_at desc, keys.id`,
        )
        return rows.map(toKey)
      },
      async revoke(id, now) {
        const revoked = await primary.transaction(async (query) => {
          const rows = await query(
            'update keys set revoked_at = coalesce(revoked_at, $1) where id = $2 returning 1 as one',
            [now, id],
          )
          await bump(query, 'keys')
          return rows.length > 0
        })
        remembered.clear()
        return revoked
      },
    } satisfies Store['keys'],
  }
}
