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

export function toKeyRow(key: ApiKey): KeyRow {
  return {
    id: key.id,
    name: key.name,
    hash: key.hash,
    tier: key.tier,
    owner: key.owner,
    created_at: key.createdAt,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    last_used_at: key.lastUsedAt ?? null,
    successor: key.successor ?? null,
  }
}

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
