import type { Database } from 'bun:sqlite'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../../../basics/errors.ts'
import { checkSchema, lastSchema } from '../../migrations/schema-version.ts'
import version021 from '../../migrations/sqlite/0014-version-0.2.1.sql' with { type: 'text' }
import actors from '../../migrations/sqlite/0015-actors.sql' with { type: 'text' }
import writing from '../../migrations/sqlite/0016-scopes-issuers-and-webhooks.sql' with { type: 'text' }
import handles from '../../migrations/sqlite/0017-handles-of-credentials.sql' with { type: 'text' }
import scores from '../../migrations/sqlite/0018-scores-of-records.sql' with { type: 'text' }
import cursor from '../../migrations/sqlite/0019-events-as-cursor.sql' with { type: 'text' }
import plainEvents from '../../migrations/sqlite/0020-plain-events.sql' with { type: 'text' }
import credentials from '../../migrations/sqlite/0021-credentials-in-one-row.sql' with { type: 'text' }

/** The pragma `user_version` stores the schema number of a database. */
export const MIGRATIONS = {
  first: 14,
  steps: [version021, actors, writing, handles, scores, cursor, plainEvents, credentials],
}

export const SCHEMA = lastSchema(MIGRATIONS)

/** "pass" in ASCII: marks files of passportd. */
export const APPLICATION_ID = 0x70617373

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
export const nameOf = ({ filename }: Database) =>
  filename.startsWith('file:') ? fileURLToPath(filename) : filename

function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.query<Record<string, number>, []>(`pragma ${name}`).get()?.[name] ?? 0
}
