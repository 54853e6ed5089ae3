import { ServiceError, unavailable } from '../../../basics/errors.ts'
import { handlesOf } from '../../../passport/passport.ts'
import version021 from '../../migrations/postgres/0009-version-0.2.1.sql' with { type: 'text' }
import actors from '../../migrations/postgres/0010-actors.sql' with { type: 'text' }
import writing from '../../migrations/postgres/0011-scopes-issuers-and-webhooks.sql' with { type: 'text' }
import handles from '../../migrations/postgres/0012-handles-of-credentials.sql' with { type: 'text' }
import scores from '../../migrations/postgres/0013-scores-of-records.sql' with { type: 'text' }
import cursor from '../../migrations/postgres/0014-events-as-cursor.sql' with { type: 'text' }
import {
  announce,
  checkSchema,
  lastSchema,
  type MigrationMode,
  type OnNotice,
  outdatedSchema,
  pendingSteps,
} from '../../migrations/schema-version.ts'
import { fromCredentialData, shownCredentialsOf } from '../../rows/credential.ts'
import { toFacetsRow } from '../../rows/facets.ts'
import { IS_VISIBLE, type StoredRow } from '../../rows/passport.ts'
import type { Connection, Query } from '../../sql/connection.ts'
import { mapCredentialRows, mapDataPoints } from '../../write/load-and-save-write-model.ts'
import { readOnlyError } from './connection/errors.ts'
import { openPool, type Pool } from './connection/pool.ts'
import { createConnection, lock, MIGRATE } from './database.ts'

/** The table `passportd` stores the schema number of a database. */
const MIGRATIONS = { first: 9, steps: [version021, actors, writing, handles, scores, cursor] }

export const SCHEMA = lastSchema(MIGRATIONS)

const OLDEST_SERVER = 14

/** A statement may change every passport, or wait for the migration of another node. */
const UNLIMITED = 2 ** 31 - 1

/** Several nodes may call it at the same time: a lock admits one of them. */
async function migrate(url: string, name: string): Promise<void> {
  await using pool = openPool(url, { connections: 1, responseTimeout: 30_000, longStatement: UNLIMITED })
  await pool.transaction(async (query) => {
    await lock(query, MIGRATE)
    const version = await checkVersion(query, name)
    for (const step of pendingSteps(MIGRATIONS, version)) await query(step)
    await fillFacets(createConnection(query))
    await fillHandles(createConnection(query))
    await query('create table if not exists passportd (version integer not null)')
    await query('delete from passportd')
    await query('insert into passportd (version) values ($1)', [SCHEMA])
  })
}

const BATCH = 1000

/** The passports of a condition, in batches. */
async function* listBatches({ selectRows }: Connection, condition: string) {
  const rest = `where ${condition} and id > $1 order by id limit ${BATCH}`
  const listAfter = (id: number) => selectRows<StoredRow>('passports', rest, [id])
  for (let rows = await listAfter(-1); rows.length > 0; rows = await listAfter(rows.at(-1)?.id ?? 0))
    yield { rows, ids: rows.map(({ id }) => id) }
}

const hasNone = (table: string) => `not exists (select from ${table} where passport_id = id)`

/** Adds the facets of listed passports that have none yet. */
async function fillFacets(connection: Connection): Promise<void> {
  for await (const { rows, ids } of listBatches(connection, `${IS_VISIBLE} and ${hasNone('facets')}`)) {
    const credentials = await mapCredentialRows(connection, ids)
    const facets = rows.map((row) => toFacetsRow(row, shownCredentialsOf(credentials.get(row.id))))
    await connection.insertRows('facets', facets)
  }
}

/** Adds the handles of passports that have none yet. */
async function fillHandles(connection: Connection): Promise<void> {
  for await (const { rows, ids } of listBatches(connection, hasNone('handles'))) {
    const credentials = await mapCredentialRows(connection, ids)
    const points = await mapDataPoints(connection, ids)
    const handles = rows.flatMap(({ id, socials }) =>
      handlesOf(JSON.parse(socials), points.get(id) ?? [], fromCredentialData(credentials.get(id))).map(
        (handle) => ({ handle, passport_id: id }),
      ),
    )
    await connection.insertRows('handles', handles)
  }
}

/** Throws if the server is a standby, or in read-only mode. */
export async function checkWritable({ name, ping }: Pool): Promise<void> {
  if (!(await ping()).writes) throw readOnlyError(name)
}

/** Migrates an outdated database if `mode` allows it, and throws otherwise. Returns the old schema number. */
export async function prepareSchema(
  url: string,
  pool: Pool,
  mode: MigrationMode,
  onNotice: OnNotice,
): Promise<number> {
  const { name } = pool
  try {
    // A read-only server is sufficient if nothing is migrated.
    if (mode !== false) await checkWritable(pool)
    const version = await checkVersion(pool.read, name)
    if (version === SCHEMA) return version
    if (mode === false || (mode === 'new' && version > 0)) throw outdatedSchema(name, version, SCHEMA)
    announce(onNotice, name, version, SCHEMA)
    await migrate(url, name)
    return version
  } catch (error) {
    throw explain(error, name)
  }
}

/** Runs the command `migrate`. */
export async function migratePostgres(
  url: string,
  onNotice: OnNotice,
): Promise<{ from: number; to: number }> {
  await using pool = openPool(url, { connections: 1, responseTimeout: 30_000 })
  return { from: await prepareSchema(url, pool, true, onNotice), to: SCHEMA }
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
