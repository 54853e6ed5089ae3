import type { Database } from 'bun:sqlite'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createUseData } from '../../data.ts'
import type { MigrationMode, OnNotice } from '../../migrations/schema-version.ts'
import { createEventReader } from '../../sql/events.ts'
import { createFacetsReader } from '../../sql/facets.ts'
import { createKeys } from '../../sql/keys.ts'
import { createPassportReader } from '../../sql/passports.ts'
import { createScoring } from '../../sql/scoring.ts'
import { createFindByKeys } from '../../sql/v3.ts'
import type { Store } from '../../store.ts'
import { createEventChanges } from '../../write/write-events.ts'
import { createPassportChanges, createRecords } from '../../write/write-records.ts'
import {
  closeOnError,
  connectReader,
  connectWriter,
  createReadTransaction,
  openChecked,
  translateErrors,
} from './connect.ts'
import { createConnection, createDatabase, createFileGuard, createPrepare, guardErrors } from './database.ts'
import { createKeyFinder } from './key-finder.ts'
import { findNewerSchema, prepareSchema, SCHEMA } from './migrate.ts'
import { createListing } from './ranking-reader.ts'

/** A call of `v3.find` reads at most this many keys, because a read blocks the event loop. */
const KEYS_PER_READ = 50

type Options = { create?: boolean; migrate?: MigrationMode; onNotice?: OnNotice }

/** Migrates and opens the database file. Throws `unavailable` with a message for the operator. */
export function openSqlite(
  path: string,
  { create = true, migrate: mode = true, onNotice }: Options = {},
): Store {
  return openChecked(path, () => {
    const writer = connectWriter(path, create)
    closeOnError(writer, () => prepareSchema(writer, mode, onNotice))
    const reader = connectReader(path)
    /** For short reads, which share read transactions. */
    const shared = connectReader(path)
    const transaction = createReadTransaction(path, shared)
    /** For long reads. */
    const listing = connectReader(path)
    const checkFiles = createFileGuard(path, writer)
    const ping = createPing(path, reader, checkFiles)
    const prepare = createPrepare(shared, transaction)
    const database = createDatabase(path, { reader, writer, shared: transaction, checkFiles })
    const { read } = database
    const findByKeys = createFindByKeys(prepare, KEYS_PER_READ)
    const close = async () => {
      await database.idle()
      transaction.close()
      for (const file of [listing, reader, writer]) file.close()
    }

    return {
      passports: {
        ...guardErrors(path, createPassportReader(read, prepare, findByKeys)),
        findByKeys,
        ...createPassportChanges(database),
      },
      records: createRecords(database),
      listing: {
        ...createListing(path, listing, shared, transaction),
        ...guardErrors(path, createFacetsReader(createConnection(path, listing))),
      },
      scoring: guardErrors(path, createScoring(database)),
      events: { ...createEventReader(prepare), ...createEventChanges(database) },
      keys: { ...createKeys(database), find: createKeyFinder(shared, transaction) },
      data: createUseData({ database, prepare }),
      database: {
        newerSchema: () => translateErrors(path, () => findNewerSchema(reader)),
        ping: () => translateErrors(path, ping),
        close,
      },
      [Symbol.asyncDispose]: close,
    }
  })
}

/** Runs the command `migrate`. */
export function migrateSqlite(path: string, onNotice: OnNotice): { from: number; to: number } {
  return openChecked(path, () => {
    using writer = connectWriter(path, false)
    const checkFiles = createFileGuard(path, writer)
    const from = prepareSchema(writer, true, onNotice)
    checkFiles()
    return { from, to: SCHEMA }
  })
}

/** Throws unless every table can be read and the files are those that were opened. */
function createPing(path: string, reader: Database, checkFiles: () => void): () => { writes: boolean } {
  const reads = ['passports', 'wallets', 'credentials', 'keys', 'ranking'].map((table) =>
    reader.query(`select 1 from ${table} limit 1`),
  )
  return () => {
    checkFiles()
    for (const read of reads) read.get()
    const { bavail, bsize } = statfsSync(dirname(path))
    return { writes: bavail * bsize >= MIN_FREE_BYTES }
  }
}

/** If less disk space is free, writes are reported as unavailable. */
const MIN_FREE_BYTES = 1024 * 1024
