import type { Database } from 'bun:sqlite'
import { createTables, lacksTables, type MigrationMode, SCHEMA, type SchemaWords } from '../../schema.ts'
import { createConnection, inTransaction } from './database.ts'
import { APPLICATION_ID, nameOf, versionOf } from './schema.ts'

const WORDS: SchemaWords = {
  INT: 'integer',
  REAL: 'real',
  KEY: 'text',
  ROWS: 'strict',
  PAIRS: 'strict, without rowid',
}

/** Creates the tables of an empty database, unless `mode` is false. Returns the old schema number. */
export async function prepareSqlite(file: Database, mode: MigrationMode): Promise<number> {
  const version = versionOf(file)
  if (version === SCHEMA) return version
  if (mode === false) throw lacksTables(nameOf(file))
  await inTransaction(file, 'begin immediate', async () => {
    // Another process may have created the tables.
    if (versionOf(file) === SCHEMA) return
    await createTables(WORDS, (script) => file.run(script), createConnection(nameOf(file), file).query)
    file.run(`pragma application_id = ${APPLICATION_ID}`)
    file.run(`pragma user_version = ${SCHEMA}`)
  })
  return version
}
