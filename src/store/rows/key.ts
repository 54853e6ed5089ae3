import type { ApiKey } from '../../domain/api-key.ts'

export type KeyRow = {
  id: string
  name: string
  hash: Uint8Array
  tier: string
  owner: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  successor: string | null
}

export const KEY_COLUMNS =
  'id, name, hash, tier, owner, created_at, expires_at, revoked_at, last_used_at, successor'

export function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    hash: row.hash,
    tier: row.tier,
    owner: row.owner,
    createdAt: row.created_at,
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.successor !== null && { successor: row.successor }),
  }
}
