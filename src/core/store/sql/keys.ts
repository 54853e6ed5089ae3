import { isoTime } from '../../basics/text/instant.ts'
import type { ApiKey, Scope } from '../api-key.ts'
import type { Store } from '../store.ts'
import { addAuditEntry, listSome } from './audit-log.ts'
import { type Database, listColumn, type Query } from './connection.ts'

const SELECT = `select id, name, hash, tier, owner, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt", successor, scopes, origins, types, seen_in_browser from keys`

export const FIND_KEY = `${SELECT} where id = $1`

export async function listKeys(query: Query): Promise<ApiKey[]> {
  return (await query<KeyRow>(`${SELECT} order by created_at desc, id`)).map(toKey)
}

/** The successor of a rotated key gets its subscriptions. Those of a revoked or deleted key end. */
const PASS_ON_SUBSCRIPTIONS = `update subscriptions set key_id = (select successor from keys where keys.id = key_id)
  where exists (select 1 from keys where keys.id = key_id and successor is not null)`
const END_SUBSCRIPTIONS = `delete from subscriptions where not exists
  (select 1 from keys where keys.id = key_id and revoked_at is null)`

/** `onChange` is called after keys have changed. */
export function createKeys(
  { read, transaction }: Database,
  onChange: () => void,
): Omit<Store['keys'], 'find'> {
  /** Runs a statement that returns the id of each changed key, and returns their number. `action` is for the audit log. */
  async function change(text: string, values: readonly unknown[], action: string, detail = {}) {
    const changed = await transaction(async ({ query }) => {
      const ids = await listColumn<string>(query, text, values)
      if (ids.length > 0)
        await addAuditEntry(query, { action, detail: { ...listSome('keys', ids), ...detail } })
      await query(PASS_ON_SUBSCRIPTIONS)
      await query(END_SUBSCRIPTIONS)
      return ids.length
    })
    onChange()
    return changed
  }

  return {
    create: (key) =>
      transaction(async ({ query, insertRows }) => {
        await insertRows('keys', [toKeyRow(key)])
        const { id, tier, scopes, origins, types, expiresAt } = key
        const detail = { keys: [id], tier, scopes, origins, types, expires: isoTime(expiresAt) }
        await addAuditEntry(query, { action: 'keys.create', detail })
      }),
    list: () => listKeys(read.query),
    async update(id, { name, tier, owner, scopes, origins, types, expiresAt }) {
      const lists = { scopes: scopes?.join(' '), origins: origins?.join(' '), types: types?.join(' ') }
      const columns = Object.entries({ name, tier, owner, ...lists, expires_at: expiresAt })
      const given = columns.filter(([, value]) => value !== undefined)
      const changed = await change(
        `update keys set ${['id = id', ...given.map(([column], at) => `${column} = $${at + 2}`)]}
         where id = $1 and revoked_at is null returning id`,
        [id, ...given.map(([, value]) => value)],
        'keys.set',
        {
          // Entries of the audit log are never deleted, so they contain neither the name nor the owner.
          ...{ name: name && 'changed', owner: owner && 'changed' },
          ...{ tier, scopes, origins, types, expires: expiresAt && isoTime(expiresAt) },
        },
      )
      return changed > 0
    },
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
        'update keys set revoked_at = $1 where id = $2 and revoked_at is null returning id',
        [now, id],
        'keys.revoke',
      )) > 0 || (await listColumn(read.query, 'select id from keys where id = $1', [id])).length > 0,
    purge: (before) =>
      change(
        'delete from keys where revoked_at < $1 or expires_at < $1 returning id',
        [before],
        'keys.purge',
      ),
  }
}

const toList = (text: string) => text.split(' ').filter((word) => word !== '')

type List = 'scopes' | 'origins' | 'types'

/** Lists are separated by blanks. Absent values are null. */
export type KeyRow = Omit<ApiKey, List | 'isSeenInBrowser' | 'hash'> &
  Record<List | 'hash', string> & { seen_in_browser: number }

function toKeyRow(given: Parameters<Store['keys']['create']>[0]) {
  const { createdAt, expiresAt, revokedAt, isSeenInBrowser, ...key } = given
  return {
    ...key,
    hash: key.hash.toHex(),
    scopes: key.scopes.join(' '),
    origins: key.origins.join(' '),
    types: key.types.join(' '),
    seen_in_browser: Number(isSeenInBrowser ?? 0),
    created_at: createdAt,
    expires_at: expiresAt ?? null,
    revoked_at: revokedAt ?? null,
  }
}

export function toKey({ hash, scopes, origins, types, seen_in_browser, ...row }: KeyRow): ApiKey {
  const known = Object.entries(row).filter(([, value]) => value !== null)
  return {
    ...(Object.fromEntries(known) as typeof row),
    hash: Uint8Array.fromHex(hash),
    scopes: toList(scopes) as Scope[],
    origins: toList(origins),
    types: toList(types),
    ...(seen_in_browser === 1 && { isSeenInBrowser: true }),
  }
}
