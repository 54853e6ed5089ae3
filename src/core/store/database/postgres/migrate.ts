import { ServiceError, unavailable } from '../../../basics/errors.ts'
import { type Migratable, prepareSchema } from '../../migrations/migrate.ts'
import version021 from '../../migrations/postgres/0009-version-0.2.1.sql' with { type: 'text' }
import actors from '../../migrations/postgres/0010-actors.sql' with { type: 'text' }
import writing from '../../migrations/postgres/0011-scopes-issuers-and-webhooks.sql' with { type: 'text' }
import handles from '../../migrations/postgres/0012-handles-of-credentials.sql' with { type: 'text' }
import scores from '../../migrations/postgres/0013-scores-of-records.sql' with { type: 'text' }
import cursor from '../../migrations/postgres/0014-events-as-cursor.sql' with { type: 'text' }
import plainEvents from '../../migrations/postgres/0015-plain-events.sql' with { type: 'text' }
import credentials from '../../migrations/postgres/0016-credentials-in-one-row.sql' with { type: 'text' }
import {
  checkSchema,
  lastSchema,
  type MigrationMode,
  type OnNotice,
} from '../../migrations/schema-version.ts'
import type { Query } from '../../sql/connection.ts'
import { readOnlyError } from './connection/errors.ts'
import { openPool, type Pool } from './connection/pool.ts'
import { createConnection, lock, MIGRATE } from './database.ts'

/** The table `passportd` stores the schema number of a database. */
const MIGRATIONS = {
  first: 9,
  steps: [version021, actors, writing, handles, scores, cursor, plainEvents, credentials],
}

export const SCHEMA = lastSchema(MIGRATIONS)

const OLDEST_SERVER = 14

/** A statement may change every passport, or wait for the migration of another node. */
const UNLIMITED = 2 ** 31 - 1

const migratable = (url: string, { name, read }: Pool): Migratable => ({
  name,
  migrations: MIGRATIONS,
  findVersion: () => checkVersion(read, name),
  async transaction(work) {
    await using pool = openPool(url, { connections: 1, responseTimeout: 30_000, longStatement: UNLIMITED })
    await pool.transaction(async (query) => {
      await lock(query, MIGRATE)
      const version = await checkVersion(query, name)
      await work({ connection: createConnection(query), version, run: query })
      await query('create table if not exists passportd (version integer not null)')
      await query('delete from passportd')
      await query('insert into passportd (version) values ($1)', [SCHEMA])
    })
  },
})

/** Throws if the server is a standby, or in read-only mode. */
export async function checkWritable({ name, ping }: Pool): Promise<void> {
  if (!(await ping()).writes) throw readOnlyError(name)
}

/** Migrates an outdated database if `mode` allows it. Returns the old schema number. */
export async function preparePostgres(
  url: string,
  pool: Pool,
  mode: MigrationMode,
  onNotice: OnNotice,
): Promise<number> {
  try {
    // A read-only server is sufficient if nothing is migrated.
    if (mode !== false) await checkWritable(pool)
    return await prepareSchema(migratable(url, pool), mode, onNotice)
  } catch (error) {
    throw explain(error, pool.name)
  }
}

/** Runs the command `migrate`. */
export async function migratePostgres(
  url: string,
  onNotice: OnNotice,
): Promise<{ from: number; to: number }> {
  await using pool = openPool(url, { connections: 1, responseTimeout: 30_000 })
  return { from: await preparePostgres(url, pool, true, onNotice), to: SCHEMA }
}

/** The schema number, if a newer passportd has migrated the database. */
export async function findNewerSchema(query: Query): Promise<number | undefined> {
  const [row] = await query<{ version: number }>('select version from passportd where version > $1', [SCHEMA])
  return row?.version
}

/** Throws unless this program supports the database. Returns 0 for a database without tables of passportd. */
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
  checkSchema(name, version, MIGRATIONS)
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
