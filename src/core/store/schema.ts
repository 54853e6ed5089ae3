import { ServiceError, unavailable } from '../basics/errors.ts'
import { EMPTY_HEAD } from '../history/hash-chain.ts'
import tables from './schema.sql' with { type: 'text' }
import type { Query } from './sql/connection.ts'

/** The schema number of both engines. */
export const SCHEMA = 22

/** `true` migrates any older database, `'new'` only creates the tables of an empty one, `false` changes nothing. */
export type MigrationMode = boolean | 'new'

export type OnNotice = ((sentence: string) => void) | undefined

/** What the engines spell differently in `schema.sql`. */
export type SchemaWords = Record<'INT' | 'REAL' | 'KEY' | 'ROWS' | 'PAIRS', string>

/** Creates the tables of an empty database. `run` runs several statements. */
export async function createTables(
  words: SchemaWords,
  run: (script: string) => unknown,
  query: Query,
): Promise<void> {
  await run(tables.replace(/\b(INT|REAL|KEY|ROWS|PAIRS)\b/g, (word) => words[word as keyof SchemaWords]))
  await query(
    `insert into event_log (one, name, first, last, time, known_since, base, head, head_at)
     values (1, $1, 1, 0, 0, NOW, $2, $2, 0)`,
    [newLogName(), EMPTY_HEAD],
  )
}

export const newLogName = (): string => crypto.getRandomValues(new Uint8Array(3)).toHex()

/** Throws if this program can neither use nor migrate a database with this schema. */
export function checkSchema(name: string, version: number): void {
  if (version > SCHEMA) {
    throw unavailable(
      `${name} was written by a newer passportd (schema ${version}, this one knows ${SCHEMA}): run the newer one.`,
    )
  }
  if (version > 0 && version < SCHEMA) {
    throw unavailable(`${name} has schema ${version}, which this version cannot migrate.`)
  }
}

/** The error for a database that is missing or has no tables yet. */
export class NewDatabaseError extends ServiceError {
  constructor(message: string) {
    super('unavailable', message)
  }
}

/** The error for a database without tables that a command must not create. */
export const lacksTables = (name: string): ServiceError =>
  new NewDatabaseError(`${name} has no tables yet: "serve", "import", "mirror" or "copy" creates them.`)
