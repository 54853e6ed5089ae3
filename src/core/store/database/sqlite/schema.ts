import type { Database } from 'bun:sqlite'
import { fileURLToPath } from 'node:url'
import { unavailable } from '../../../basics/errors.ts'
import { checkSchema } from '../../schema.ts'

/** "pass" in ASCII: marks files of passportd. */
export const APPLICATION_ID = 0x70617373

/** Returns which program created the database, and the schema number. A new database has the owner `nobody`. */
export function identifySchema(database: Database) {
  // Tables are read before `application_id`: tables that a migration creates between both reads must not look foreign.
  const isFilled = database.query('select 1 from sqlite_schema limit 1').get() !== null
  const version = readPragma(database, 'user_version')
  const mark = readPragma(database, 'application_id')
  if (mark === APPLICATION_ID) return { owner: 'passportd', version } as const
  const owner = mark !== 0 || version !== 0 || isFilled ? 'another' : 'nobody'
  return { owner, version } as const
}

/** Returns the schema number, 0 for a new database. Throws if this program can neither use nor migrate the database. */
export function versionOf(database: Database): number {
  const { owner, version } = identifySchema(database)
  if (owner === 'another') throw unavailable(`${pathOfFile(database)} is a database of another program.`)
  checkSchema(pathOfFile(database), version, 'sqlite')
  return version
}

/** The path of the file. The connection of `connectUnused` has a URI instead. */
export const pathOfFile = ({ filename }: Database) =>
  filename.startsWith('file:') ? fileURLToPath(filename) : filename

function readPragma(database: Database, name: 'user_version' | 'application_id'): number {
  return database.query<Record<string, number>, []>(`pragma ${name}`).get()?.[name] ?? 0
}
