import { createUseData, type UseData } from './data.ts'
import type { Database } from './sql/connection.ts'
import { createEventReader } from './sql/events.ts'
import { createKeys } from './sql/keys.ts'
import { createListing } from './sql/listing.ts'
import { createPassportReader } from './sql/passports.ts'
import { createScoring } from './sql/scoring.ts'
import { createFindByKeys } from './sql/v3.ts'
import { createEventChanges } from './write/write-events.ts'
import { createPassportChanges, createRecords } from './write/write-records.ts'

export type Engine = {
  database: Database
  /** For reports and exports: `long` and `snapshot` may lack the last changes. */
  reports: Database
  keysPerRead?: number
  /** The schema number, which a newer passportd can change while the store is open. */
  findSchema(): Promise<number>
  /** Checks whether the store accepts writes. Throws `unavailable` if it cannot even be read. */
  ping(): Promise<{ writes: boolean }>
  close(): Promise<void>
}

/** Disposing a store closes it. */
export type Store = ReturnType<typeof createStore>

export function createStore(engine: Engine) {
  const { database, reports, keysPerRead, findSchema, ping, close } = engine
  const findByKeys = createFindByKeys(database, keysPerRead)
  return {
    passports: {
      findByKeys,
      ...createPassportReader(database, findByKeys),
      ...createPassportChanges(database),
    },
    records: createRecords(reports),
    listing: createListing(database.long),
    scoring: createScoring(database),
    events: { ...createEventReader(database), ...createEventChanges(database) },
    keys: createKeys(database),
    data: createUseData({ ...database, long: reports.long }) as UseData,
    database: { findSchema, ping, close },
    [Symbol.asyncDispose]: close,
  }
}
