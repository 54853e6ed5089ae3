import type { Database } from 'bun:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { unavailable } from '../../../basics/errors.ts'
import { size } from '../../../basics/text/counts-and-sizes.ts'
import { type Migratable, prepareSchema } from '../../migrations/migrate.ts'
import type { MigrationMode, OnNotice } from '../../migrations/schema-version.ts'
import { createConnection, inTransaction } from './database.ts'
import { APPLICATION_ID, MIGRATIONS, nameOf, SCHEMA, versionOf } from './schema.ts'

const migratable = (file: Database, name: string): Migratable => ({
  name,
  migrations: MIGRATIONS,
  findVersion: () => versionOf(file),
  checkSpace: () => refuseFullDisk(name),
  transaction: (work) =>
    inTransaction(file, 'begin immediate', async () => {
      const connection = createConnection(name, file)
      await work({ connection, version: versionOf(file), run: (script) => file.run(script) })
      file.run(`pragma application_id = ${APPLICATION_ID}`)
      file.run(`pragma user_version = ${SCHEMA}`)
    }),
})

/** Migrates an outdated database if `mode` allows it. Returns the old schema number. */
export const prepareSqlite = (file: Database, mode: MigrationMode, onNotice?: OnNotice): Promise<number> =>
  prepareSchema(migratable(file, nameOf(file)), mode, onNotice)

/** Throws if the disk is too full for a migration: at its end, its changes are both in the WAL and in the file. */
function refuseFullDisk(path: string): void {
  const needed = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  if (free >= needed) return
  throw unavailable(
    `The migration of ${path} needs about ${size(needed)} of free disk space, but ${dirname(path)} has ${size(free)}: free some space, or move the database to another disk.`,
  )
}
