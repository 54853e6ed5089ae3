import type { Database } from 'bun:sqlite'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../../domain/errors.ts'
import { combinePasses, type OnProgress } from '../../migration-progress.ts'
import passports from '../../migrations/sqlite/0001-passports.sql' with { type: 'text' }
import scoring from '../../migrations/sqlite/0002-scoring.sql' with { type: 'text' }
import usage from '../../migrations/sqlite/0003-usage.sql' with { type: 'text' }
import keySuccessors from '../../migrations/sqlite/0008-key-successors.sql' with { type: 'text' }
import v1 from '../../migrations/sqlite/0009-v1.sql' with { type: 'text' }
import staleIndex from '../../migrations/sqlite/0010-stale-index.sql' with { type: 'text' }
import v1Fields from '../../migrations/sqlite/0010-v1-fields.sql' with { type: 'text' }
import ruleSets from '../../migrations/sqlite/0011-rule-sets.sql' with { type: 'text' }
import laterFields from '../../migrations/sqlite/0012-later-fields.sql' with { type: 'text' }
import handles from '../../migrations/sqlite/0013-handles.sql' with { type: 'text' }
import events from '../../migrations/sqlite/0014-events.sql' with { type: 'text' }
import { type MigrationMode, OutdatedSchemaError } from '../../outdated-schema.ts'
import { removeDocumentFiles, storeV1 } from './migration-9.ts'
import { storeImages } from './migration-12.ts'
import { storeHandles } from './migration-13.ts'
import { migrationSpaceProblem } from './migration-space.ts'

/** A migration whose tables migration 9 drops: new databases skip it. */
const DROPPED = ''

/** In order; `user_version` is the number of applied migrations. */
const MIGRATIONS: readonly (string | ((database: Database, onProgress: OnProgress) => void))[] = [
  passports,
  scoring,
  usage,
  DROPPED,
  DROPPED,
  DROPPED,
  DROPPED,
  keySuccessors,
  (database, onProgress) => {
    database.run(v1)
    storeV1(database, onProgress)
    // Before the commit: a crash after it would leave the files for ever.
    removeDocumentFiles(database.filename)
  },
  (database) => {
    database.run(staleIndex)
    // Only an early version 9 created this column.
    if (hasColumn(database, 'item')) database.run(v1Fields)
  },
  ruleSets,
  (database) => {
    // A database that is new or older than version 9 has the columns from migration 9.
    if (hasColumn(database, 'later_fields')) return
    database.run(laterFields)
    storeImages(database)
  },
  (database, onProgress) => {
    database.run(handles)
    storeHandles(database, onProgress)
  },
  events,
]

/** Only migrations that read all passports have the parameter. */
const hasProgress = (migration: (typeof MIGRATIONS)[number]) =>
  typeof migration === 'function' && migration.length > 1

const hasColumn = (database: Database, name: string) =>
  database.query(`select 1 from pragma_table_info('v1_passports') where name = ?`).get(name) !== null

export const SCHEMA = MIGRATIONS.length

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
      const pending = MIGRATIONS.slice(versionOf(database))
      const beginPass = combinePasses(pending.filter(hasProgress).length, onProgress)
      for (const migration of pending) {
        if (typeof migration === 'function')
          migration(database, hasProgress(migration) ? beginPass() : onProgress)
        else if (migration !== DROPPED) database.run(migration)
      }
      database.run(`pragma application_id = ${APPLICATION_ID}`)
      database.run(`pragma user_version = ${SCHEMA}`)
    })
    .immediate()
}

/** Migrates the database if the mode allows it; otherwise throws if it is outdated. Returns its version before. */
export function prepareSchema(database: Database, mode: MigrationMode, onProgress?: OnProgress): number {
  const version = versionOf(database)
  if (mode === true || (mode === 'new' && version === 0)) {
    refuseFullDisk(database, version)
    migrate(database, onProgress)
  } else if (version < SCHEMA) throw new OutdatedSchemaError(nameOf(database), version, SCHEMA)
  return version
}

/** Before a migration that would fail at its end. */
function refuseFullDisk(database: Database, version: number): void {
  const problem = version < SCHEMA ? migrationSpaceProblem(nameOf(database), version) : undefined
  if (problem !== undefined) throw new ServiceError('unavailable', problem)
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
