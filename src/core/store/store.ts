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

type Methods = Record<string, (...args: never[]) => unknown>

/** What an engine brings. */
export type Engine = {
  database: Database
  /** For reports and exports: `long` and `snapshot` may lack the last changes. */
  reports: Database
  /** How many passports one statement finds, if that blocks the event loop. */
  keysPerRead?: number
  /** Turns errors of methods that parse stored texts into errors of the database. */
  guard?: <T extends Methods>(methods: T) => T
  /** The schema number, if a newer passportd has migrated the database since this store was opened. */
  newerSchema(): Promise<number | undefined>
  /** Checks whether the store accepts writes. Throws `unavailable` if it cannot even be read. */
  ping(): Promise<{ writes: boolean }>
  close(): Promise<void>
}

/** Disposing a store closes it. */
export type Store = ReturnType<typeof createStore>

export function createStore(engine: Engine) {
  const { database, reports, guard = (methods) => methods, newerSchema, ping, close } = engine
  const { findByKeys } = guard({ findByKeys: createFindByKeys(database, engine.keysPerRead) })
  return {
    passports: {
      ...guard(createPassportReader(database, findByKeys)),
      findByKeys,
      ...createPassportChanges(database),
    },
    records: createRecords(reports),
    listing: guard(createListing(database.long)),
    scoring: guard(createScoring(database)),
    events: { ...guard(createEventReader(database)), ...createEventChanges(database) },
    keys: createKeys(database),
    /** The statements of features. */
    data: createUseData({ ...database, long: reports.long }) as UseData,
    database: { newerSchema, ping, close },
    [Symbol.asyncDispose]: close,
  }
}
