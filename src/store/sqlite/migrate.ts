import type { Database } from 'bun:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServiceError } from '../../domain/errors.ts'
import { size } from '../../domain/text/counts-and-sizes.ts'
import {
  checkSchema,
  lastSchema,
  type MigrationMode,
  type OnProgress,
  outdatedSchema,
  pendingSteps,
} from '../migrations/schema-version.ts'
import version021 from '../migrations/sqlite/0014-version-0.2.1.sql' with { type: 'text' }
import actors from '../migrations/sqlite/0015-actors.sql' with { type: 'text' }
import { COUNT_PASSPORTS } from '../sql/passports.ts'

/** `user_version` is the schema of a database. */
const MIGRATIONS = { first: 14, steps: [version021, actors] }

export const SCHEMA = lastSchema(MIGRATIONS)

/** "pass" in ASCII: marks files of passportd. */
const APPLICATION_ID = 0x70617373

/** Throws unless the database is new or this program can use or migrate it. */
export function checkOwner(database: Database): void {
  versionOf(database)
}

/** Migrates the database. Concurrent processes are safe: the write lock admits one. */
export function migrate(database: Database, onProgress: OnProgress = () => undefined): void {
  if (versionOf(database) === SCHEMA) return
  database
    .transaction(() => {
      const version = versionOf(database)
      const pending = pendingSteps(MIGRATIONS, version)
      const passports = version === 0 ? 0 : countPassports(database)
      for (const [at, step] of pending.entries()) {
        database.run(step)
        onProgress(Math.floor((passports * (at + 1)) / pending.length), passports)
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
  } else if (version < SCHEMA) throw outdatedSchema(nameOf(database), version, SCHEMA)
  return version
}

/** Before a migration that would fail at its end. */
function refuseFullDisk(database: Database, version: number): void {
  const problem = version < SCHEMA ? migrationSpaceProblem(nameOf(database)) : undefined
  if (problem !== undefined) throw new ServiceError('unavailable', problem)
}

/** A sentence if the disk has too little space for a migration: the changes are in the WAL and in the file. */
function migrationSpaceProblem(path: string): string | undefined {
  const needed = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  const { bavail, bsize } = statfsSync(dirname(path))
  const free = bavail * bsize
  if (free >= needed) return undefined
  return `The migration of ${path} needs about ${size(needed)} of free disk space, but ${dirname(path)} has ${size(free)}: free some space, or move the database to another disk.`
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
  checkSchema(nameOf(database), version, MIGRATIONS)
  return version
}

/** The path; a connection that must not write has a URI. */
const nameOf = ({ filename }: Database) => (filename.startsWith('file:') ? fileURLToPath(filename) : filename)

function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.query<Record<string, number>, []>(`pragma ${name}`).get()?.[name] ?? 0
}

const hasTables = (database: Database) => database.query('select 1 from sqlite_schema limit 1').get() !== null

const countPassports = (database: Database) =>
  database.query<{ count: number }, []>(COUNT_PASSPORTS).get()?.count ?? 0
