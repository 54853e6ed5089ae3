import type { ApiKey } from '../../domain/api-key.ts'
import { type KeyRow, toKey } from '../rows/key.ts'
import type { Store } from '../store.ts'
import type { Link } from './link.ts'
import { type Query, selectable } from './query.ts'
import { bump } from './versions.ts'

const COLUMNS = selectable({
  id: 'text',
  name: 'text',
  tier: 'text',
  owner: 'text',
  created_at: 'bigint',
  expires_at: 'bigint',
  revoked_at: 'bigint',
  last_used_at: 'bigint',
  successor: 'text',
})

/** Keys held in memory; more of them in use at once are asked for each time. */
const REMEMBERED = 10_000

/** `find` asks the primary, or where it is away the replica: a key must not work longer than it should. */
export function createKeys(primary: Link, replica: Link | undefined) {
  const remembered = new Map<string, ApiKey>()
  let changes = 0

  function forget(): void {
    remembered.clear()
    changes++
  }

  async function findIn(query: Query, id: string): Promise<ApiKey | undefined> {
    const [row] = await query<KeyRow>(`select ${COLUMNS}, hash from keys where id = $1`, [id])
    return row && toKey(row)
  }

  /** What was read before a change, and what a replica that may lag behind has read, is not remembered. */
  async function findAndRemember(id: string): Promise<ApiKey | undefined> {
    const before = changes
    let key: ApiKey | undefined
    try {
      key = await findIn(primary.query, id)
    } catch (error) {
      if (!replica) throw error
      return findIn(replica.query, id)
    }
    if (!key || changes !== before) return key
    if (remembered.size >= REMEMBERED) remembered.clear()
    remembered.set(id, key)
    return key
  }

  /** Tells whether there is such a key. */
  async function change(text: string, values: unknown[]): Promise<boolean> {
    const changed = await primary.transaction(async (query) => {
      const rows = await query(text, values)
      await bump(query, 'keys')
      return rows.length > 0
    })
    forget()
    return changed
  }

  return {
    /** Keys have changed. */
    forget,

    keys: {
      async create({ id, name, hash, tier, owner, createdAt, expiresAt, revokedAt, lastUsedAt, successor }) {
        await primary.transaction(async (query) => {
          await query(
            `insert into keys (id, name, hash, tier, owner, created_at, expires_at, revoked_at, last_used_at, successor)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
            [
              id,
              name,
              hash,
              tier,
              owner,
              createdAt,
              expiresAt ?? null,
              revokedAt ?? null,
              lastUsedAt ?? null,
              successor ?? null,
            ],
          )
          await bump(query, 'keys')
        })
      },
      find: (id) => remembered.get(id) ?? findAndRemember(id),
      async list() {
        const rows = await primary.query<KeyRow>(
          `select ${COLUMNS}, hash from keys order by keys.created_at desc, keys.id`,
        )
        return rows.map(toKey)
      },
      update: (id, { name, tier, owner }) =>
        change(
          `update keys set name = coalesce($1::text, name), tier = coalesce($2::text, tier),
             owner = coalesce($3::text, owner) where id = $4 returning 1 as one`,
          [name ?? null, tier ?? null, owner ?? null, id],
        ),
      replace: (id, successor, endsAt) =>
        change(
          `update keys set expires_at = least(expires_at, $1::bigint), successor = $2
           where id = $3 and successor is null returning 1 as one`,
          [endsAt, successor, id],
        ),
      revoke: (id, now) =>
        change('update keys set revoked_at = coalesce(revoked_at, $1) where id = $2 returning 1 as one', [
          now,
          id,
        ]),
    } satisfies Store['keys'],
  }
}
