import type { ApiKey } from '../../domain/api-key.ts'

export type KeyRow = {
  id: string
  name: string
  hash: Uint8Array
  created_at: number
  expires_at: number | null
  revoked_at: number | null
}

export const KEY_COLUMNS = 'id, name, hash, created_at, expires_at, revoked_at'

export function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  }
}
