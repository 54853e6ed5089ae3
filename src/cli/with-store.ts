import type { DatabaseAddress } from '../domain/database-address.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'

/** Opens a database that exists, and closes it after the work. */
export async function withStore<T>(
  database: DatabaseAddress,
  work: (store: Store) => T | Promise<T>,
  options: Parameters<typeof openStore>[1] = { create: false },
): Promise<T> {
  const store = await openStore(database, options)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}
