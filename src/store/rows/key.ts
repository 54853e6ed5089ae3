import type { ApiKey } from '../../domain/api-key.ts'

export type KeyRow = Pick<ApiKey, 'id' | 'name' | 'hash' | 'tier' | 'owner'> & {
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  successor: string | null
}

export function toKeyRow({ createdAt, expiresAt, revokedAt, lastUsedAt, successor, ...key }: ApiKey): KeyRow {
  return {
    ...key,
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
    last_used_at: lastUsedAt ?? null,
    successor: successor ?? null,
  }
}

export function toKey(row: KeyRow): ApiKey {
  const { created_at, expires_at, revoked_at, last_used_at, successor, ...key } = row
  return {
    ...key,
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...(revoked_at !== null && { revokedAt: revoked_at }),
    ...(last_used_at !== null && { lastUsedAt: last_used_at }),
    ...(successor !== null && { successor }),
  }
}
