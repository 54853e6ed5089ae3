import type { Database, SQLQueryBindings } from 'bun:sqlite'
import type { MigrationMode, OnProgress } from '../migrations/schema-version.ts'
import { createAudit } from '../sql/audit.ts'
import type { Prepare } from '../sql/connection.ts'
import { createCopyTables } from '../sql/copy-tables.ts'
import { pruneEvents } from '../sql/events.ts'
import { createFacetsReader } from '../sql/facets.ts'
import { createKeys } from '../sql/keys.ts'
import { createMirror } from '../sql/mirror.ts'
import { createCredentials, createPassportReader } from '../sql/passports.ts'
import { createPassportChanges, createRecords } from '../sql/records.ts'
import { createRules } from '../sql/rules.ts'
import { createScoring } from '../sql/scoring.ts'
import { createSettingStores } from '../sql/settings.ts'
import { createUsage } from '../sql/usage.ts'
import { createV1Reader, createV2Reader } from '../sql/v1.ts'
import type { Store } from '../store.ts'
import {
  closeOnError,
  connectReader,
  connectWriter,
  openChecked,
  translateErrors,
} from './connection/connect.ts'
import {
  createConnection,
  createDatabase,
  DIALECT,
  guardErrors,
  numberParameters,
  toBinding,
} from './connection/database.ts'
import { createFileGuard } from './connection/file-guard.ts'
import { createPing } from './connection/ping.ts'
import { createReadTransaction, type ReadTransaction } from './connection/read-transaction.ts'
import { createEventReader } from './events.ts'
import { createV3Reader } from './find-passports.ts'
import { createKeyFinder } from './keys.ts'
import { createListing, createRecentChanges } from './listing.ts'
import { findNewerSchema, prepareSchema, SCHEMA } from './migrate.ts'
import { createSearch } from './search.ts'

type Options = {
  create?: boolean
  migrate?: MigrationMode
  onMigrate?: OnProgress | undefined
}

/** Migrates and opens the database file. Throws `unavailable` with a message for the operator. */
export function openSqlite(path: string, options: Options = {}): Store {
  const { create = true, migrate: mode = true, onMigrate } = options
  return openChecked(path, () => {
    const writer = connectWriter(path, create)
    closeOnError(writer, () => prepareSchema(writer, mode, onMigrate))
    const reader = connectReader(path)
    /** For short reads, which share read transactions. */
    const shared = connectReader(path)
    const transaction = createReadTransaction(path, shared)
    /** For long reads. */
    const listing = connectReader(path)
    const checkFiles = createFileGuard(path, writer)
    const ping = createPing(path, reader, checkFiles)
    const prepare = createPrepare(shared, transaction)
    const database = createDatabase(path, {
      reader,
      writer,
      /** A write ends the shared read transaction: later reads see it, and the WAL can be truncated. */
      before() {
        transaction.end()
        checkFiles()
      },
      // A write to a deleted file is not acknowledged.
      confirm: checkFiles,
    })
    const { read, write } = database
    const v3 = createV3Reader(shared, transaction)

    return {
      passports: { ...guardErrors(path, createPassportReader(read)), ...createPassportChanges(database) },
      records: createRecords(database),
      credentials: createCredentials(v3),
      v1: createV1Reader(prepare, DIALECT),
      v2: createV2Reader(prepare, DIALECT),
      v3,
      listing: {
        ...createListing(path, listing),
        readRecent: createRecentChanges(shared, transaction),
      },
      facets: guardErrors(path, createFacetsReader(createConnection(path, listing))),
      search: createSearch(prepare),
      scoring: guardErrors(path, createScoring(database)),
      rules: createRules(database, read.query),
      events: {
        ...createEventReader(shared, transaction),
        prune: (before) => pruneEvents(database, before),
      },
      mirror: createMirror(write),
      keys: { ...createKeys(database), find: createKeyFinder(shared, transaction) },
      usage: createUsage(read.query, write, database),
      audit: createAudit(read.query, write),
      ...createSettingStores(read.query, write),
      copyTables: createCopyTables(database, read),
      newerSchema: () => translateErrors(path, () => findNewerSchema(reader)),
      ping: () => translateErrors(path, ping),
      async close() {
        await database.idle()
        transaction.close()
        for (const file of [listing, reader, writer]) file.close()
      },
    }
  })
}

/** Prepares statements for the shared read transactions. */
const createPrepare =
  (reader: Database, transaction: ReadTransaction): Prepare =>
  <Row>(text: string) => {
    const statement = reader.query<Row, SQLQueryBindings[]>(numberParameters(text))
    return (...values: unknown[]) =>
      transaction.read(() => statement.all(...values.map((value) => toBinding(value))))
  }

/** For `migrate`. */
export function migrateSqlite(path: string, onProgress: OnProgress): { from: number; to: number } {
  return openChecked(path, () => {
    const writer = connectWriter(path, false)
    const checkFiles = createFileGuard(path, writer)
    try {
      const from = prepareSchema(writer, true, onProgress)
      checkFiles()
      return { from, to: SCHEMA }
    } finally {
      writer.close()
    }
  })
}
