import type { Database } from 'bun:sqlite'
import type { ApiKey } from '../../domain/api-key.ts'
import { ENDED_BEFORE, type KeyRow, toKey, toKeyRow } from '../rows/key.ts'
import type { Store } from '../store.ts'
import type { ReadTransaction } from './read-transaction.ts'
import { prepareInsert } from './statements.ts'

/** Caches keys for one read transaction: consecutive requests often have the same key. */
export function createKeyReader(reader: Database, transaction: ReadTransaction) {
  const find = reader.query<KeyRow, [string]>('select * from keys where id = ?')
  let cache = new Map<string, ApiKey>()
  let seen = 0
  return {
    find: (id: string): ApiKey | undefined =>
      transaction.read(() => {
        if (transaction.number() !== seen) cache = new Map()
        seen = transaction.number()
        const known = cache.get(id)
        if (known) return known
        const row = find.get(id)
        if (row === null) return undefined
        const key = toKey(row)
        cache.set(id, key)
        return key
      }),
  }
}

export function createKeys({ reader, writer }: { reader: Database; writer: Database }) {
  const list = reader.query<KeyRow, []>('select * from keys order by created_at desc, id')
  const insert = prepareInsert(writer, 'keys')
  const update = writer.query(
    'update keys set name = coalesce(?1, name), tier = coalesce(?2, tier), owner = coalesce(?3, owner) where id = ?4',
  )
  const replace = writer.query(
    `update keys set expires_at = min(coalesce(expires_at, ?1), ?1), successor = ?2
     where id = ?3 and successor is null`,
  )
  const revoke = writer.query('update keys set revoked_at = coalesce(revoked_at, ?) where id = ?')

  const purge = writer.query(`delete from keys where ${ENDED_BEFORE}`)

  return {
    create: (key) => void insert.run(toKeyRow(key)),
    list: () => list.all().map(toKey),
    update: (id, { name, tier, owner }) =>
      update.run(name ?? null, tier ?? null, owner ?? null, id).changes > 0,
    replace: (id, successor, endsAt) => replace.run(endsAt, successor, id).changes > 0,
    revoke: (id, now) => revoke.run(now, id).changes > 0,
    purge: (before) => purge.run(before).changes,
  } satisfies Omit<Store['keys'], 'find'>
}
