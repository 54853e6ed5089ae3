import type { Database } from 'bun:sqlite'
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type MigrationMode, type OnNotice, SCHEMA } from '../../schema.ts'
import { createStore } from '../../store.ts'
import { connectReader, openChecked, translateErrors } from './connect.ts'
import { createDatabase, createFileGuard } from './database.ts'
import { openWriter } from './migrate.ts'
import { identifySchema } from './schema.ts'

/** One statement finds at most this many passports, because it blocks the event loop. */
const KEYS_PER_READ = 50

type Options = { create?: boolean; migrate?: MigrationMode; onNotice?: OnNotice }

/** Migrates and opens the database file. Throws `unavailable` with a message for the operator. */
export function openSqlite(path: string, { create = true, migrate: mode = true, onNotice }: Options = {}) {
  return openChecked(path, async () => {
    const { file: writer } = await openWriter(path, { create, mode, onNotice })
    const reader = connectReader(path)
    const shared = connectReader(path)
    const checkFiles = createFileGuard(path, writer)
    const ping = createPing(path, reader, checkFiles)
    const database = createDatabase(path, { reader, shared, writer, checkFiles })
    return createStore({
      database,
      reports: database,
      keysPerRead: KEYS_PER_READ,
      findSchema: async () => translateErrors(path, () => identifySchema(reader).version),
      ping: async () => translateErrors(path, ping),
      async close() {
        await database.idle()
        for (const file of [shared, reader, writer]) file.close()
      },
    })
  })
}

export function migrateSqlite(path: string, onNotice: OnNotice): Promise<{ from: number; to: number }> {
  return openChecked(path, async () => {
    const { file, version } = await openWriter(path, { create: false, mode: true, onNotice })
    file.close()
    return { from: version, to: SCHEMA }
  })
}

/** Throws unless the tables can be read and the files are those that were opened. */
function createPing(path: string, reader: Database, checkFiles: () => void) {
  const columns = [
    'id from passports',
    'address from wallets',
    'shown from credentials',
    'last from event_log',
  ]
  const reads = columns.map((column) => reader.query(`select ${column} limit 1`))
  return () => {
    checkFiles()
    for (const read of reads) read.get()
    const { bavail, bsize } = statfsSync(dirname(path))
    return { writes: bavail * bsize >= MIN_FREE_BYTES }
  }
}

/** If less disk space is free, writes are reported as unavailable. */
const MIN_FREE_BYTES = 1024 * 1024
