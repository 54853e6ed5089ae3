import type { Database } from 'bun:sqlite'
import { statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../../../basics/errors.ts'
import { size } from '../../../basics/text/counts-and-sizes.ts'
import { handlesOf } from '../../../passport/passport.ts'
import {
  announce,
  checkSchema,
  lastSchema,
  type MigrationMode,
  type OnNotice,
  outdatedSchema,
  pendingSteps,
} from '../../migrations/schema-version.ts'
import version021 from '../../migrations/sqlite/0014-version-0.2.1.sql' with { type: 'text' }
import actors from '../../migrations/sqlite/0015-actors.sql' with { type: 'text' }
import writing from '../../migrations/sqlite/0016-scopes-issuers-and-webhooks.sql' with { type: 'text' }
import handles from '../../migrations/sqlite/0017-handles-of-credentials.sql' with { type: 'text' }
import scores from '../../migrations/sqlite/0018-scores-of-records.sql' with { type: 'text' }
import cursor from '../../migrations/sqlite/0019-events-as-cursor.sql' with { type: 'text' }
import { type CredentialsRow, fromCredentialData, shownCredentialsOf } from '../../rows/credential.ts'
import { toFacetsRow } from '../../rows/facets.ts'
import { type DataPointRow, IS_VISIBLE, type StoredRow } from '../../rows/passport.ts'

/** The pragma `user_version` stores the schema number of a database. */
const MIGRATIONS = { first: 14, steps: [version021, actors, writing, handles, scores, cursor] }

export const SCHEMA = lastSchema(MIGRATIONS)

/** "pass" in ASCII: marks files of passportd. */
const APPLICATION_ID = 0x70617373

/** Migrates the database. Several processes may call it at the same time: the write lock admits one of them. */
export function migrate(database: Database): void {
  if (versionOf(database) === SCHEMA) return
  database
    .transaction(() => {
      for (const step of pendingSteps(MIGRATIONS, versionOf(database))) database.run(step)
      fillFacets(database)
      fillHandles(database)
      database.run(`pragma application_id = ${APPLICATION_ID}`)
      database.run(`pragma user_version = ${SCHEMA}`)
    })
    .immediate()
}

/** Adds the facets of listed passports that have none yet. */
function fillFacets(database: Database): void {
  const insert = database.query('insert into facets values ($passport_id, $record, $scores, $points)')
  const rows = database.query<StoredRow & CredentialsRow, []>(
    `select passports.*, body from passports left join v1_credentials on passport_id = id
     where ${IS_VISIBLE} and id not in (select passport_id from facets)`,
  )
  for (const row of rows.iterate()) {
    const facets = Object.entries(toFacetsRow(row, shownCredentialsOf(row)))
    insert.run(Object.fromEntries(facets.map(([name, value]) => [`$${name}`, value])))
  }
}

/** Adds the handles of passports that have none yet. */
function fillHandles(database: Database): void {
  const insert = database.query('insert into handles (handle, passport_id) values ($1, $2)')
  const points = database.query<DataPointRow, [number]>('select * from data_points where passport_id = $1')
  const rows = database.query<StoredRow & CredentialsRow, []>(
    `select id, socials, coalesce(data, '[]') as data, body from passports
     left join credentials on credentials.passport_id = id left join v1_credentials on v1_credentials.passport_id = id
     where id not in (select passport_id from handles)`,
  )
  for (const row of rows.iterate()) {
    const handles = handlesOf(JSON.parse(row.socials), points.all(row.id), fromCredentialData(row))
    for (const handle of handles) insert.run(handle, row.id)
  }
}

/** Migrates an outdated database if `mode` allows it, and throws otherwise. Returns the old schema number. */
export function prepareSchema(database: Database, mode: MigrationMode, onNotice?: OnNotice): number {
  const version = versionOf(database)
  if (mode === true || (mode === 'new' && version === 0)) {
    if (version < SCHEMA) {
      refuseFullDisk(nameOf(database))
      announce(onNotice, nameOf(database), version, SCHEMA)
    }
    migrate(database)
  } else if (version < SCHEMA) throw outdatedSchema(nameOf(database), version, SCHEMA)
  return version
}

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

/** The schema number, if a newer passportd has migrated the database. */
export function findNewerSchema(database: Database): number | undefined {
  const { version } = identify(database)
  return version > SCHEMA ? version : undefined
}

/** Returns which program created the database, and the schema number. A new database has the owner `nobody`. */
export function identify(database: Database) {
  // Tables are read before `application_id`: tables that a migration creates between both reads must not look foreign.
  const isFilled = database.query('select 1 from sqlite_schema limit 1').get() !== null
  const version = readPragma(database, 'user_version')
  const mark = readPragma(database, 'application_id')
  if (mark === APPLICATION_ID) return { owner: 'passportd', version } as const
  const owner = mark !== 0 || version !== 0 || isFilled ? 'another' : 'nobody'
  return { owner, version } as const
}

/** The schema number, 0 for a new database. Throws if this program can neither use nor migrate the database. */
export function versionOf(database: Database): number {
  const { owner, version } = identify(database)
  if (owner === 'another') {
    throw unavailable(`${nameOf(database)} is a database of another program.`)
  }
  checkSchema(nameOf(database), version, MIGRATIONS)
  return version
}

/** The path of the file. The connection of `connectUnused` has a URI instead. */
const nameOf = ({ filename }: Database) => (filename.startsWith('file:') ? fileURLToPath(filename) : filename)

function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.query<Record<string, number>, []>(`pragma ${name}`).get()?.[name] ?? 0
}
