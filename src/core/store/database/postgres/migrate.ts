import { ServiceError, unavailable } from '../../../basics/errors.ts'
import {
  checkSchema,
  createTables,
  lacksTables,
  type MigrationMode,
  SCHEMA,
  type SchemaWords,
} from '../../schema.ts'
import type { Query } from '../../sql/connection.ts'
import { readOnlyError } from './connection/errors.ts'
import { openPool, type Pool } from './connection/pool.ts'
import { createConnection, lock, MIGRATE } from './database.ts'

const WORDS: SchemaWords = {
  INT: 'bigint',
  REAL: 'double precision',
  KEY: 'text collate "C"',
  ROWS: '',
  PAIRS: '',
}

const OLDEST_SERVER = 14

/** A statement may wait for the migration of another node. */
const UNLIMITED = 2 ** 31 - 1

/** Throws if the server is a standby, or in read-only mode. */
export async function checkWritable({ name, ping }: Pool): Promise<void> {
  if (!(await ping()).writes) throw readOnlyError(name)
}

/** Creates the tables of an empty database, unless `mode` is false. Returns the old schema number. */
export async function preparePostgres(url: string, pool: Pool, mode: MigrationMode): Promise<number> {
  try {
    // A read-only server is sufficient if nothing is created.
    if (mode !== false) await checkWritable(pool)
    const version = await checkVersion(pool.read, pool.name)
    if (version === SCHEMA) return version
    if (mode === false) throw lacksTables(pool.name)
    await createAll(url, pool.name)
    return version
  } catch (error) {
    throw explain(error, pool.name)
  }
}

async function createAll(url: string, name: string): Promise<void> {
  await using pool = openPool(url, { connections: 1, responseTimeout: 30_000, longStatement: UNLIMITED })
  await pool.transaction(async (query) => {
    await lock(query, MIGRATE)
    if ((await checkVersion(query, name)) === SCHEMA) return
    await createTables(WORDS, query, createConnection(query).query)
    await query('create table if not exists passportd (version integer not null)')
    await query('delete from passportd')
    await query('insert into passportd (version) values ($1)', [SCHEMA])
  })
}

/** Runs the command `migrate`. */
export async function migratePostgres(url: string): Promise<{ from: number; to: number }> {
  await using pool = openPool(url, { connections: 1, responseTimeout: 30_000 })
  return { from: await preparePostgres(url, pool, true), to: SCHEMA }
}

/** The schema number, if a newer passportd has migrated the database. */
export async function findNewerSchema(query: Query): Promise<number | undefined> {
  const [row] = await query<{ version: number }>('select version from passportd where version > $1', [SCHEMA])
  return row?.version
}

/**
 * The table `passportd` stores the schema number of a database. Throws unless this program supports it. Returns 0 for a database
 * without tables of passportd.
 */
export async function checkVersion(query: Query, name: string): Promise<number> {
  const [server] = await query<{ number: number; ours: boolean; encoding: string }>(
    // Not to_regclass(): on a connection that a pooler shares, its cache may be stale.
    `select current_setting('server_version_num')::integer as number, current_setting('server_encoding') as encoding,
       exists (select from pg_class where relname = 'passportd' and pg_table_is_visible(oid)) as ours`,
  )
  if (server?.encoding !== 'UTF8') {
    throw unavailable(
      `${name} is encoded in ${server?.encoding}: create it with createdb -E UTF8 -T template0.`,
    )
  }
  const release = Math.floor((server?.number ?? 0) / 10_000)
  if (release < OLDEST_SERVER) {
    throw unavailable(`${name} runs PostgreSQL ${release}: ${OLDEST_SERVER} or later is needed.`)
  }
  if (!server?.ours) return 0
  const [row] = await query<{ version: number }>('select version from passportd')
  const version = row?.version ?? 0
  checkSchema(name, version)
  return version
}

/** What the errors with these codes mean, and what to do. */
const EXPLANATIONS: readonly (readonly [codes: RegExp, meaning: string, advice: string])[] = [
  [/^(42501|3F000)$/, 'cannot be prepared', 'The role needs the right to create tables in its schema.'],
  // The database has other tables or functions with our names, or a table `passportd` with other columns.
  [
    /^(42P07|42723|42703)$/,
    'holds tables of another program',
    'Give passportd a database, or a schema, of its own.',
  ],
]

function explain(error: unknown, name: string): unknown {
  if (error instanceof ServiceError) return error
  const { errno, code = '', message } = error as { errno?: string; code?: string; message: string }
  const found = EXPLANATIONS.find(([codes]) => codes.test(errno ?? code))
  if (!found) return error
  const [, meaning, advice] = found
  return unavailable(`${name} ${meaning}: ${message}. ${advice}`, { cause: error })
}
