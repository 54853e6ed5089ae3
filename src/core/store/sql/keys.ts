import { type Awaitable, andThen } from '../../basics/awaitable.ts'
import { isoTime } from '../../basics/text/instant.ts'
import type { ApiKey, Scope } from '../api-key.ts'
import { toColumns, toFields } from '../rows/columns.ts'
import { addAuditEntry, listSome } from './audit-log.ts'
import { type Database, type Lookup, listColumn, type Query } from './connection.ts'

/** A revocation by another thread or node takes effect after at most this time. */
const CACHE_MILLISECONDS = 1000

const CACHE_SIZE = 10_000

export const listKeys = async (query: Query): Promise<ApiKey[]> =>
  (await query<KeyRow>('select * from keys order by created_at desc, id')).map(toKey)

/** The successor of a rotated key gets its subscriptions. Those of a revoked or deleted key end. */
const PASS_ON_SUBSCRIPTIONS = `update subscriptions set key_id = (select successor from keys where keys.id = key_id)
  where exists (select 1 from keys where keys.id = key_id and successor is not null)`
const END_SUBSCRIPTIONS = `delete from subscriptions where not exists
  (select 1 from keys where keys.id = key_id and revoked_at is null)`

const PURGE = 'delete from keys where revoked_at < $1 or expires_at < $1 returning id'

type NewKey = Omit<ApiKey, 'lastUsedAt' | 'successor'>

type KeyChange = {
  [Name in 'name' | 'tier' | 'owner' | 'scopes' | 'origins' | 'types']?: ApiKey[Name] | undefined
} & {
  expiresAt?: number | null | undefined
}

export function createKeys({ lookup, read, transaction }: Database) {
  const cache: KeyCache = new Map()

  /** Runs a statement that returns the ids of changed keys, and returns their number. `action` is for the audit log. */
  async function change(text: string, values: readonly unknown[], action: string, detail = {}) {
    const changed = await transaction(async ({ query }) => {
      const ids = await listColumn<string>(query, text, values)
      if (ids.length > 0)
        await addAuditEntry(query, { action, detail: { ...listSome('keys', ids), ...detail } })
      await query(PASS_ON_SUBSCRIPTIONS)
      await query(END_SUBSCRIPTIONS)
      return ids.length
    })
    cache.clear()
    return changed
  }

  return {
    find: (id: string) => findKey(lookup, cache, id),
    create: (key: NewKey): Promise<void> =>
      transaction(async ({ query, insertRows }) => {
        await insertRows('keys', [toKeyRow(key)])
        const { id, tier, scopes, origins, types, expiresAt } = key
        const detail = { keys: [id], tier, scopes, origins, types, expires: isoTime(expiresAt) }
        await addAuditEntry(query, { action: 'keys.create', detail })
      }),
    list: () => listKeys(read.query),
    /** Absent fields stay unchanged; `expiresAt: null` means never. Returns false for an unknown or revoked key. */
    async update(id: string, { name, owner, ...fields }: KeyChange): Promise<boolean> {
      const columns = toColumns({ name, owner, ...fields, ...joinLists(fields) })
      const values = Object.entries(columns).filter(([, value]) => value !== undefined)
      const updates = ['id = id', ...values.map(([column], at) => `${column} = $${at + 2}`)]
      const update = `update keys set ${updates} where id = $1 and revoked_at is null returning id`
      // Entries of the audit log are never deleted, so they contain neither the name nor the owner.
      const { expiresAt, ...rest } = fields
      const detail = {
        ...{ name: name && 'changed', owner: owner && 'changed' },
        ...{ ...rest, expires: expiresAt && isoTime(expiresAt) },
      }
      return (await change(update, [id, ...values.map(([, value]) => value)], 'keys.set', detail)) > 0
    },
    /** Sets a successor. The key expires at `endsAt` or earlier. Returns false if it is unknown or has a successor. */
    async replace(id: string, successor: string, endsAt: number) {
      const replace = `update keys set expires_at = case when expires_at < $1 then expires_at else $1 end,
        successor = $2 where id = $3 and successor is null returning id`
      return (await change(replace, [endsAt, successor, id], 'keys.rotate', { successor })) > 0
    },
    /** Returns whether the key exists. The date of the first revocation stays. */
    async revoke(id: string, now: number) {
      const revoke = 'update keys set revoked_at = $1 where id = $2 and revoked_at is null returning id'
      const exists = async () => (await read.query('select id from keys where id = $1', [id])).length > 0
      return (await change(revoke, [now, id], 'keys.revoke')) > 0 || exists()
    },
    /** Deletes the keys that were revoked or expired before a time. Returns how many it deleted. */
    purge: (before: number) => change(PURGE, [before], 'keys.purge'),
  }
}

type KeyCache = Map<string, { key: ApiKey; readAt: number }>

function findKey(lookup: Lookup, cache: KeyCache, id: string): Awaitable<ApiKey | undefined> {
  const readAt = performance.now()
  const known = cache.get(id)
  if (known && readAt - known.readAt < CACHE_MILLISECONDS) return known.key
  return andThen(lookup<KeyRow>('select * from keys where id = $1', [id]), ([row]) => {
    const key = row && toKey(row)
    if (cache.size >= CACHE_SIZE) cache.clear()
    if (key) cache.set(id, { key, readAt })
    return key
  })
}

type Lists = Pick<ApiKey, 'scopes' | 'origins' | 'types'>

/** Lists are separated by blanks. */
const joinLists = ({ scopes, origins, types }: { [Name in keyof Lists]?: Lists[Name] | undefined }) => ({
  scopes: scopes?.join(' '),
  origins: origins?.join(' '),
  types: types?.join(' '),
})

const toList = (text: string) => text.split(' ').filter((word) => word !== '')

/** Absent values are null. Columns that are not here have the name of a field, in snake case. */
type KeyRow = Record<keyof Lists | 'hash', string> & { seen_in_browser: number }

const toKeyRow = ({ hash, isSeenInBrowser, ...key }: NewKey) =>
  toColumns({
    ...{ expiresAt: null, revokedAt: null },
    ...key,
    ...joinLists(key),
    hash: hash.toHex(),
    seenInBrowser: Number(isSeenInBrowser ?? 0),
  })

function toKey({ hash, scopes, origins, types, seen_in_browser, ...columns }: KeyRow): ApiKey {
  const known = Object.entries(toFields(columns)).filter(([, value]) => value !== null)
  return {
    ...(Object.fromEntries(known) as Omit<ApiKey, keyof Lists | 'hash'>),
    hash: Uint8Array.fromHex(hash),
    scopes: toList(scopes) as Scope[],
    origins: toList(origins),
    types: toList(types),
    ...(seen_in_browser === 1 && { isSeenInBrowser: true }),
  }
}
