import type { MigrationMode, OnProgress } from '../migrations/schema-version.ts'
import { createShownCredentials } from '../sql/credentials.ts'
import { createKeyChanges } from '../sql/keys.ts'
import { createMirror } from '../sql/mirror.ts'
import { createRulesReader } from '../sql/rules.ts'
import { createCopying, createIdentity, createRetirement } from '../sql/settings.ts'
import { createUsageReader } from '../sql/usage.ts'
import type { Store } from '../store.ts'
import {
  closeOnError,
  connectReader,
  connectWriter,
  createQuery,
  guardErrors,
  type Methods,
  openChecked,
  translateErrors,
} from './connection/connect.ts'
import { createFileGuard } from './connection/file-guard.ts'
import { createPing } from './connection/ping.ts'
import { createReadTransaction } from './connection/read-transaction.ts'
import { createWalLimit } from './connection/wal-checkpoint.ts'
import { createCopyTables } from './copy-tables.ts'
import { createEventPruning, createEventReader } from './events.ts'
import { createKeyReader, createKeys } from './keys.ts'
import { createListing, createRecentChanges } from './listing.ts'
import { findNewerSchema, prepareSchema } from './migrate.ts'
import { createPassportReader } from './passports.ts'
import { createPassportChanges, createRecords } from './records.ts'
import { createRules } from './rules.ts'
import { createScoring } from './scoring.ts'
import { createUsage } from './usage.ts'
import { createV1Reader, createV2Reader } from './v1.ts'
import { createFacetsReader } from './v3/facets.ts'
import { createV3Reader } from './v3/find-passports.ts'
import { createSearchReader } from './v3/search.ts'

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
    const listing = connectReader(path)
    const checkFiles = createFileGuard(path, writer)
    const ping = createPing(path, reader, checkFiles)
    const v3 = createV3Reader(shared, transaction)
    const passports = createPassportReader(shared, transaction)
    const connections = { reader, writer }
    const { work, markAll, adopt, ...scoringReads } = createScoring(connections)
    const scoringWrites = { work, markAll, adopt }

    /** A write ends the shared read transaction: later reads see it, and the WAL can be truncated. */
    function before(): void {
      transaction.end()
      checkFiles()
    }
    // A write to a deleted file is not acknowledged.
    const guard = { before, confirm: checkFiles }
    const writes = <T extends Methods>(methods: T) => guardErrors(path, methods, guard)
    const read = createQuery(path, reader)
    const write = createQuery(path, writer, guard)
    const keyChanges = createKeyChanges(async (text, values) => (await write(text, values)).length)
    const limitWal = createWalLimit(path, writer)
    /** For bulk writes: import, mirror, scoring, copy. */
    const bulkWrites = <T extends Methods>(methods: T) =>
      guardErrors(path, methods, { ...guard, after: limitWal })

    return {
      passports: { ...passports, ...writes(createPassportChanges(writer)) },
      records: bulkWrites(createRecords(connections)),
      credentials: createShownCredentials(v3),
      v1: createV1Reader(shared, transaction),
      v2: createV2Reader(shared, transaction),
      v3,
      listing: {
        ...guardErrors(path, createListing(listing), {}),
        readRecent: createRecentChanges(shared, transaction),
      },
      facets: guardErrors(path, createFacetsReader(listing), {}),
      search: createSearchReader(shared, transaction),
      scoring: { ...guardErrors(path, scoringReads, {}), ...bulkWrites(scoringWrites) },
      rules: { ...createRulesReader(read, write), ...writes(createRules(writer)) },
      events: { ...createEventReader(shared, transaction), ...writes(createEventPruning(writer)) },
      mirror: createMirror(write),
      keys: { ...createKeyReader(shared, transaction), ...writes(createKeys(connections)), ...keyChanges },
      usage: { ...createUsageReader(read, write), ...writes(createUsage(writer)) },
      retirement: createRetirement(read, write),
      identity: createIdentity(read, write),
      copyTables: createCopyTables(connections).map(({ name, ...table }) => ({ name, ...bulkWrites(table) })),
      copying: createCopying(read, write),
      newerSchema: () => translateErrors(path, () => findNewerSchema(reader)),
      ping: () => translateErrors(path, ping),
      close() {
        transaction.close()
        for (const database of [listing, reader, writer]) database.close()
      },
    }
  })
}
