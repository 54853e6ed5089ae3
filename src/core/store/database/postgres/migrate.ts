import { ServiceError, unavailable } from '../../../basics/errors.ts'
import { convert } from '../../migrations/convert.ts'
import {
  checkSchema,
  createLog,
  createReport,
  lacksTables,
  type MigrationMode,
  type OnNotice,
  OutdatedError,
  SCHEMA,
  TABLES,
} from '../../schema.ts'
import { listColumn, type Query } from '../../sql/connection.ts'
import { listTables, type Table } from '../../sql/tables.ts'
import { readOnlyError } from './connection/errors.ts'
import { openPool, type Pool } from './connection/pool.ts'
import { createConnection, lock, MIGRATE } from './database.ts'

const OLDEST_SERVER = 14

/** A statement may copy a large table, or wait for the migration of another node. */
const UNLIMITED = 2 ** 31 - 1

/** Creates or migrates the tables if `mode` allows it, and throws otherwise. Returns the old schema number. */
export async function preparePostgres(
  url: string,
  { name, read, ping }: Pool,
  mode: MigrationMode,
  onNotice?: OnNotice,
): Promise<number> {
  try {
    // A read-only server is sufficient if nothing is migrated.
    if (mode !== false && !(await ping()).writes) throw readOnlyError(name)
    const version = await checkVersion(read, name)
    if (version === SCHEMA) return version
    if (version === 0 && mode === false) throw lacksTables(name)
    if (version > 0 && mode !== true) throw new OutdatedError(name, version)
    await using pool = openPool(url, { connections: 1, responseTimeout: 30_000, longStatement: UNLIMITED })
    await pool.transaction((query) => migrate(query, name, onNotice))
    return version
  } catch (error) {
    throw explainMigrationError(error, name)
  }
}

/** Moves older tables to another schema of PostgreSQL, where they stay, and fills new ones. Other nodes wait. */
async function migrate(query: Query, name: string, onNotice: OnNotice): Promise<void> {
  await lock(query, MIGRATE)
  const version = await checkVersion(query, name)
  if (version === SCHEMA) return
  const connection = createConnection(query)
  const oldTables = version === 0 ? [] : await listTables(connection)
  const old = version === 0 ? '' : await moveTables(query, oldTables)
  await connection.query(TABLES)
  await query('create table if not exists passportd (version integer not null)')
  await query('delete from passportd')
  await query('insert into passportd (version) values ($1)', [SCHEMA])
  if (version === 0) return void (await createLog(connection.query))
  const onProgress = createReport(name, version, onNotice)
  await convert({ connection, old: `${old}.`, oldTables, onProgress })
  await query(`analyze ${(await listTables(connection)).map(({ name }) => name)}`)
}

/** The tables of older schemas that this one does not have. */
const OLD_TABLES = 'v1_passports|v1_credentials|facets|unlisted|ranking|versions|event_rules|passportd'.split(
  '|',
)

/** Returns the schema of PostgreSQL that the old tables are in now. */
async function moveTables(query: Query, tables: readonly Table[]): Promise<string> {
  const [old = ''] = await listColumn<string>(
    query,
    `select quote_ident(current_schema() || '_before_${SCHEMA}') as old`,
  )
  await query(`create schema ${old}`)
  const ours = new Set([...OLD_TABLES, ...TABLES.matchAll(/create table (\w+)/g).map(([, table]) => table)])
  for (const { name } of tables) if (ours.has(name)) await query(`alter table ${name} set schema ${old}`)
  return old
}

export async function migratePostgres(url: string, onNotice: OnNotice) {
  await using pool = openPool(url, { connections: 1, responseTimeout: 30_000 })
  return { from: await preparePostgres(url, pool, true, onNotice), to: SCHEMA }
}

export async function findSchema(query: Query): Promise<number> {
  const [row] = await query<{ version: number }>('select version from passportd')
  return row?.version ?? 0
}

/** Returns the schema number, 0 for a database without our tables. Throws unless this program supports it. */
export async function checkVersion(query: Query, name: string): Promise<number> {
  const [server] = await query<{ number: number; ours: boolean; encoding: string }>(
    // Not to_regclass(): on a connection that a pooler shares, its cache may be stale.
    `select current_setting('server_version_num')::integer as number, current_setting('server_encoding') as encoding,
       exists (select from pg_class where relname = 'passportd' and pg_table_is_visible(oid)) as ours`,
  )
  const { number = 0, encoding, ours } = server ?? {}
  if (encoding !== 'UTF8')
    throw unavailable(`${name} is encoded in ${encoding}: create it with createdb -E UTF8 -T template0.`)
  const release = Math.floor(number / 10_000)
  if (release < OLDEST_SERVER)
    throw unavailable(`${name} runs PostgreSQL ${release}: ${OLDEST_SERVER} or later is needed.`)
  const version = ours ? await findSchema(query) : 0
  checkSchema(name, version, 'postgres')
  return version
}

const RIGHTS =
  'The role needs the right to create tables in its schema, and for a migration a schema ("grant create on database").'

const EXPLANATIONS: readonly (readonly [codes: RegExp, meaning: string, advice: string])[] = [
  [/^(42501|3F000)$/, 'cannot be prepared', RIGHTS],
  [/^42P06$/, 'has the old tables of an earlier migration', 'Drop their schema, or rename it.'],
  // The database has other tables or functions with our names, or a table `passportd` with other columns.
  [
    /^(42P07|42723|42703)$/,
    'holds tables of another program',
    'Give passportd a database or schema of its own.',
  ],
]

function explainMigrationError(error: unknown, name: string): unknown {
  if (error instanceof ServiceError) return error
  const { errno, code = '', message } = error as { errno?: string; code?: string; message: string }
  const [, meaning, advice] = EXPLANATIONS.find(([codes]) => codes.test(errno ?? code)) ?? []
  if (meaning === undefined) return error
  return unavailable(`${name} ${meaning}: ${message}. ${advice}`, { cause: error })
}
