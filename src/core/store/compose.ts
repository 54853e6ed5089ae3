import { createUseData } from './data.ts'
import type { Database } from './sql/connection.ts'
import { createEventReader } from './sql/events.ts'
import { createKeyCache } from './sql/key-cache.ts'
import { createKeys } from './sql/keys.ts'
import { createListing } from './sql/listing.ts'
import { createPassportReader } from './sql/passports.ts'
import { createScoring } from './sql/scoring.ts'
import { createFindByKeys } from './sql/v3.ts'
import type { Store } from './store.ts'
import { createEventChanges } from './write/write-events.ts'
import { createPassportChanges, createRecords } from './write/write-records.ts'

type Methods = Record<string, (...args: never[]) => unknown>

/** What an engine brings. */
export type Engine = Store['database'] & {
  database: Database
  /** For reports and exports: `long` and `snapshot` may lack the last changes. */
  reports: Database
  /** How many passports one statement finds, if that blocks the event loop. */
  keysPerRead?: number
  /** Turns errors of methods that parse stored texts into errors of the database. */
  guard?: <T extends Methods>(methods: T) => T
}

export function createStore(engine: Engine): Store {
  const { database, reports, guard = (methods) => methods } = engine
  const { find, forget } = createKeyCache(database)
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
    keys: { ...createKeys(database, forget), find },
    data: createUseData({ ...database, long: reports.long }),
    database: { newerSchema: engine.newerSchema, ping: engine.ping, close: engine.close },
    [Symbol.asyncDispose]: engine.close,
  }
}
