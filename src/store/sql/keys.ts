import type { ApiKey, Scope } from '../../domain/api-key.ts'
import { isoTime } from '../../domain/text/instant.ts'
import type { Store } from '../store.ts'
import { addAuditEntry, listSome } from './audit-log.ts'
import { type Database, listColumn, type Query } from './connection.ts'

const number = (column: string) => `cast(${column} as double precision) as ${column}`

const SELECT = `select id, name, hash, tier, owner, ${number('created_at')}, ${number('expires_at')},
  ${number('revoked_at')}, ${number('last_used_at')}, successor, scopes, origins, types, seen_in_browser from keys`

export const FIND_KEY = `${SELECT} where id = $1`

export async function listKeys(query: Query): Promise<ApiKey[]> {
  return (await query<KeyRow>(`${SELECT} order by keys.created_at desc, id`)).map(toKey)
}

/** The successor of a rotated key gets its subscriptions. Those of a revoked or deleted key end. */
const PASS_ON_SUBSCRIPTIONS = `update subscriptions set key_id = (select successor from keys where keys.id = key_id)
  where exists (select 1 from keys where keys.id = key_id and successor is not null)`
const END_SUBSCRIPTIONS = `delete from subscriptions where not exists
  (select 1 from keys where keys.id = key_id and revoked_at is null)`

/** `onChange` is called after keys have changed. */
export function createKeys(
  { read, transaction }: Database,
  onChange: () => void = () => undefined,
): Omit<Store['keys'], 'find'> {
  /** Runs a statement that returns the id of each changed key, and returns their number. `action` is for the audit log. */
  async function change(text: string, values: readonly unknown[], action: string, detail = {}) {
    const changed = await transaction(async ({ query, increment }) => {
      const ids = await listColumn<string>(query, text, values)
      if (ids.length > 0)
        await addAuditEntry(query, { action, detail: { ...listSome('keys', ids), ...detail } })
      await query(PASS_ON_SUBSCRIPTIONS)
      await query(END_SUBSCRIPTIONS)
      await increment('keys')
      return ids.length
    })
    onChange()
    return changed
  }

  return {
    create: (key) =>
      transaction(async ({ query, insertRows, increment }) => {
        await insertRows('keys', [{ ...toKeyRow(key), hash: `\\x${key.hash.toHex()}` }])
        const { id, tier, scopes, origins, types, expiresAt } = key
        const detail = { keys: [id], tier, scopes, origins, types, expires: isoTime(expiresAt) }
        await addAuditEntry(query, { action: 'keys.create', detail })
        await increment('keys')
      }),
    list: () => listKeys(read.query),
    update: async (id, { name, tier, owner, scopes, origins, types, expiresAt }) =>
      (await change(
        `update keys set name = coalesce(cast($1 as text), name), tier = coalesce(cast($2 as text), tier),
           owner = coalesce(cast($3 as text), owner), scopes = coalesce(cast($4 as text), scopes),
           origins = coalesce(cast($5 as text), origins), types = coalesce(cast($6 as text), types),
           expires_at = case when $7 = 1 then cast($8 as bigint) else expires_at end
         where id = $9 and revoked_at is null returning id`,
        [
          ...[name ?? null, tier ?? null, owner ?? null],
          ...[scopes, origins, types].map((list) => list?.join(' ') ?? null),
          ...[Number(expiresAt !== undefined), expiresAt ?? null, id],
        ],
        'keys.set',
        {
          // Entries of the audit log are never deleted, so they contain neither the name nor the owner.
          ...{ name: name && 'changed', owner: owner && 'changed' },
          ...{ tier, scopes, origins, types, expires: expiresAt && isoTime(expiresAt) },
        },
      )) > 0,
    replace: async (id, successor, endsAt) =>
      (await change(
        `update keys set expires_at = case when expires_at < $1 then expires_at else $1 end, successor = $2
         where id = $3 and successor is null returning id`,
        [endsAt, successor, id],
        'keys.rotate',
        { successor },
      )) > 0,
    revoke: async (id, now) =>
      (await change(
        'update keys set revoked_at = coalesce(revoked_at, $1) where id = $2 returning id',
        [now, id],
        'keys.revoke',
      )) > 0,
    purge: (before) =>
      change(
        'delete from keys where revoked_at < $1 or expires_at < $1 returning id',
        [before],
        'keys.purge',
      ),
  }
}

const toList = (text: string) => text.split(' ').filter((word) => word !== '')

export type KeyRow = Pick<ApiKey, 'id' | 'name' | 'hash' | 'tier' | 'owner'> & {
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  last_used_at: number | null
  successor: string | null
  scopes: string
  origins: string
  types: string
  seen_in_browser: number
}

function toKeyRow(given: ApiKey): KeyRow {
  const { createdAt, expiresAt, revokedAt, lastUsedAt, successor, isSeenInBrowser, ...key } = given
  return {
    ...key,
    scopes: key.scopes.join(' '),
    origins: key.origins.join(' '),
    types: key.types.join(' '),
    seen_in_browser: Number(isSeenInBrowser ?? 0),
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
    last_used_at: lastUsedAt ?? null,
    successor: successor ?? null,
  }
}

export function toKey(row: KeyRow): ApiKey {
  const { created_at, expires_at, revoked_at, last_used_at, successor, seen_in_browser, ...key } = row
  return {
    ...key,
    scopes: toList(key.scopes) as Scope[],
    origins: toList(key.origins),
    types: toList(key.types),
    ...(seen_in_browser === 1 && { isSeenInBrowser: true }),
    createdAt: created_at,
    ...(expires_at !== null && { expiresAt: expires_at }),
    ...(revoked_at !== null && { revokedAt: revoked_at }),
    ...(last_used_at !== null && { lastUsedAt: last_used_at }),
    ...(successor !== null && { successor }),
  }
}
