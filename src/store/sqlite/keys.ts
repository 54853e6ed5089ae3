import type { Database } from 'bun:sqlite'
import type { ApiKey } from '../../domain/api-key.ts'
import { type KeyRow, toKey, toKeyRow } from '../rows/key.ts'
import type { Store } from '../store.ts'
import type { ReadTransaction } from './connection/read-transaction.ts'
import { prepareInsert } from './connection/statements.ts'

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
  return {
    create: (key) => void insert.run(toKeyRow(key)),
    list: () => list.all().map(toKey),
  } satisfies Pick<Store['keys'], 'create' | 'list'>
}
