import type { ApiKey } from '../../domain/api-key.ts'
import type { Store } from '../store.ts'
import type { Database, Query } from './connection.ts'

const number = (column: string) => `cast(${column} as double precision) as ${column}`

const SELECT = `select id, name, hash, tier, owner, ${number('created_at')}, ${number('expires_at')},
  ${number('revoked_at')}, ${number('last_used_at')}, successor from keys`

export const FIND_KEY = `${SELECT} where id = $1`

export async function listKeys(query: Query): Promise<ApiKey[]> {
  return (await query<KeyRow>(`${SELECT} order by keys.created_at desc, id`)).map(toKey)
}

/** `onChange` is called after keys have changed. */
export function createKeys(
  { read, transaction }: Database,
  onChange: () => void = () => undefined,
): Omit<Store['keys'], 'find'> {
  /** Runs a statement that returns a row for each changed key, and returns the number of rows. */
  async function change(text: string, values: readonly unknown[]): Promise<number> {
    const changed = await transaction(async ({ query, increment }) => {
      const rows = await query(text, values)
      await increment('keys')
      return rows.length
    })
    onChange()
    return changed
  }

  return {
    create: (key) =>
      transaction(async ({ insertRows, increment }) => {
        await insertRows('keys', [{ ...toKeyRow(key), hash: `\\x${key.hash.toHex()}` }])
        await increment('keys')
      }),
    list: () => listKeys(read.query),
    update: async (id, { name, tier, owner, expiresAt }) =>
      (await change(
        `update keys set name = coalesce(cast($1 as text), name), tier = coalesce(cast($2 as text), tier),
           owner = coalesce(cast($3 as text), owner),
           expires_at = case when $4 = 1 then cast($5 as bigint) else expires_at end
         where id = $6 and revoked_at is null returning id`,
        [name ?? null, tier ?? null, owner ?? null, Number(expiresAt !== undefined), expiresAt ?? null, id],
      )) > 0,
    replace: async (id, successor, endsAt) =>
      (await change(
        `update keys set expires_at = case when expires_at < $1 then expires_at else $1 end, successor = $2
         where id = $3 and successor is null returning id`,
        [endsAt, successor, id],
      )) > 0,
    revoke: async (id, now) =>
      (await change('update keys set revoked_at = coalesce(revoked_at, $1) where id = $2 returning id', [
        now,
        id,
      ])) > 0,
    purge: (before) =>
      change('delete from keys where revoked_at < $1 or expires_at < $1 returning id', [before]),
  }
}

export type KeyRow = Pick<ApiKey, 'id' | 'name' | 'hash' | 'tier' | 'owner'> & {
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  successor: string | null
}

function toKeyRow({ createdAt, expiresAt, revokedAt, lastUsedAt, successor, ...key }: ApiKey): KeyRow {
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
