import { FileFaultError } from '../basics/errors.ts'
import type { Store } from './store.ts'

/** Shared memory that says whether any thread has found damage in the database. It is reset only by a restart. */
export type Damage = Int32Array<SharedArrayBuffer>

export const createDamage = (): Damage => new Int32Array(new SharedArrayBuffer(4))

export const isDamaged = (damage: Damage): boolean => Atomics.load(damage, 0) === 1

export const setDamaged = (damage: Damage): void => void Atomics.store(damage, 0, 1)

/** Notes the damage that an error reports. The caller logs the error. */
export function noteDamage(damage: Damage, error: unknown): void {
  if (error instanceof FileFaultError && error.fault === 'damaged') setDamaged(damage)
}

/** Returns a store whose `ping` also throws if another thread has found damage. */
export function withDamage(store: Store, damage: Damage): Store {
  const { database } = store
  async function ping() {
    if (isDamaged(damage)) throw new FileFaultError('damaged', 'The database is damaged, as logged before.')
    return await database.ping()
  }
  return { ...store, database: { ...database, ping } }
}
