import type { Database } from 'bun:sqlite'
import type { ApiKey } from '../../domain/api-key.ts'
import type { Store } from '../store.ts'

type KeyRow = {
  id: string
  name: string
  hash: Uint8Array
  created_at: number
  expires_at: number | null
  revoked_at: number | null
}

const COLUMNS = 'id, name, hash, created_at, expires_at, revoked_at'

export function createKeys({ reader, writer }: { reader: Database; writer: Database }) {
  const find = reader.query<KeyRow, [string]>(`select ${COLUMNS} from keys where id = ?`)
  const list = reader.query<KeyRow, []>(`select ${COLUMNS} from keys order by created_at desc, id`)
  const insert = writer.query(`insert into keys (${COLUMNS}) values (?, ?, ?, ?, ?, ?)`)
  const revoke = writer.query('update keys set revoked_at = coalesce(revoked_at, ?) where id = ?')

  return {
    create({ id, name, hash, createdAt, expiresAt, revokedAt }) {
      insert.run(id, name, hash, createdAt, expiresAt ?? null, revokedAt ?? null)
    },
    find(id) {
      const row = find.get(id)
      return row === null ? undefined : toKey(row)
    },
    list: () => list.all().map(toKey),
    revoke: (id, now) => revoke.run(now, id).changes > 0,
  } satisfies Store['keys']
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  }
}
