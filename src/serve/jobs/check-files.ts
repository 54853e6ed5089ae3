import type { Store } from '../../store/store.ts'
import type { Job } from './supervise.ts'

/** The database may be deleted, replaced or damaged while nothing is written. */
export const checkFiles = (store: Store): Job => ({
  name: 'The database files cannot be used',
  interval: 1000,
  async run() {
    await store.ping()
  },
})
