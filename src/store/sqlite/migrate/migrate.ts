import type { Database } from 'bun:sqlite'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../../domain/errors.ts'
import tables from '../../migrations/sqlite/0011-tables.sql' with { type: 'text' }
import laterFields from '../../migrations/sqlite/0012-later-fields.sql' with { type: 'text' }
import handles from '../../migrations/sqlite/0013-handles.sql' with { type: 'text' }
import events from '../../migrations/sqlite/0014-events.sql' with { type: 'text' }
import { databaseTooOld, type MigrationMode, OutdatedSchemaError } from '../../outdated-schema.ts'
import { storeImages } from './migration-12.ts'
import { storeHandles } from './migration-13.ts'

type OnProgress = (done: number, total: number) => void

/** The schema of the oldest version that can be migrated. */
const OLDEST = 11

/** In order; the first one creates the oldest schema. */
const MIGRATIONS: readonly ((database: Database, onProgress: OnProgress) => void)[] = [
  (database) => database.run(tables),
  (database) => {
    database.run(laterFields)
    storeImages(database)
  },
  (database, onProgress) => {
    database.run(handles)
    storeHandles(database, onProgress)
  },
  (database) => database.run(events),
]

/** The schema of this program; `user_version` is the schema of a database. */
export const SCHEMA = OLDEST + MIGRATIONS.length - 1

/** "pass" in ASCII: marks files of passportd. */
const APPLICATION_ID = 0x70617373

/** Throws unless the database is new or belongs to passportd. */
export function checkOwner(database: Database): void {
  versionOf(database)
}

/** Migrates the database. Concurrent processes are safe: the write lock admits one. */
export function migrate(database: Database, onProgress: OnProgress = () => undefined): void {
  if (versionOf(database) === SCHEMA) return
  database
    .transaction(() => {
      const version = versionOf(database)
      if (version > 0 && version < OLDEST) throw databaseTooOld(nameOf(database), version)
      const next = version === 0 ? 0 : version - OLDEST + 1
      for (const migration of MIGRATIONS.slice(next)) migration(database, onProgress)
      database.run(`pragma application_id = ${APPLICATION_ID}`)
      database.run(`pragma user_version = ${SCHEMA}`)
    })
    .immediate()
}

/** Migrates the database if the mode allows it; otherwise throws if it is outdated. Returns its version before. */
export function prepareSchema(database: Database, mode: MigrationMode, onProgress?: OnProgress): number {
  const version = versionOf(database)
  if (mode === true || (mode === 'new' && version === 0)) migrate(database, onProgress)
  else if (version < SCHEMA) throw new OutdatedSchemaError(nameOf(database), version, SCHEMA)
  return version
}

/** The schema of the database if a newer passportd has migrated it. */
export function findNewerSchema(database: Database): number | undefined {
  const { version } = identify(database)
  return version > SCHEMA ? version : undefined
}

/** The owner and schema of a database; a new one has no owner. */
export function identify(database: Database): {
  owner: 'passportd' | 'nobody' | 'another'
  version: number
} {
  // Tables are read before the mark: a concurrent migration commits both together.
  const isFilled = hasTables(database)
  const version = readPragma(database, 'user_version')
  const mark = readPragma(database, 'application_id')
  if (mark === APPLICATION_ID) return { owner: 'passportd', version }
  return { owner: mark !== 0 || version !== 0 || isFilled ? 'another' : 'nobody', version }
}

function versionOf(database: Database): number {
  const { owner, version } = identify(database)
  if (owner === 'another') {
    throw new ServiceError('unavailable', `${nameOf(database)} is a database of another program.`)
  }
  if (version > SCHEMA) {
    throw new ServiceError(
      'unavailable',
      `${nameOf(database)} was written by a newer passportd (schema ${version}, this one knows ${SCHEMA}): run the newer one.`,
    )
  }
  return version
}

/** The path; a connection that must not write has a URI. */
const nameOf = ({ filename }: Database) => (filename.startsWith('file:') ? fileURLToPath(filename) : filename)

function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.query<Record<string, number>, []>(`pragma ${name}`).get()?.[name] ?? 0
}

function hasTables(database: Database): boolean {
  return database.query('select 1 from sqlite_schema limit 1').get() !== null
}
