import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import type { Job } from './supervise.ts'

/** Stops scoring when a newer version has migrated the database, because that version may store scores in another way. */
export const checkSchema = (store: Store, log: Log, scoring: AbortController): Job => ({
  name: 'The schema of the database cannot be checked',
  interval: 1000,
  async run() {
    const schema = await store.newerSchema()
    if (schema === undefined || scoring.signal.aborted) return
    scoring.abort()
    log.warn(
      `The database was migrated by a newer passportd (schema ${schema}): this node calculates no scores any more. Replace it by the newer version.`,
    )
  },
})
