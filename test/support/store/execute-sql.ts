import { Database } from 'bun:sqlite'
import { fromCredentialsRow } from '../../../src/core/store/rows/credential.ts'
import { EVENT_ROWS, packEvents } from '../migrations/pack-events.ts'
import { connect } from '../postgres/connection-urls.ts'
import type { EngineName } from './engines.ts'

/** Runs SQL on the database of either engine. */
export async function execute(url: string, sql: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    using database = new Database(url.slice('sqlite:'.length))
    database.run('pragma busy_timeout = 10000')
    return void database.run(sql)
  }
  await using server = connect(url)
  await server.unsafe(sql)
}

/** The rows of a select on the database of either engine. */
export async function select<Row>(url: string, sql: string): Promise<Row[]> {
  if (url.startsWith('sqlite:')) {
    using database = new Database(url.slice('sqlite:'.length))
    return database.query<Row, []>(sql).all()
  }
  await using server = connect(url)
  return [...(await server.unsafe(sql))]
}

/** The schema versions of passportd 0.2.1. */
export const OLD_SCHEMA = { sqlite: 14, postgres: 9 }

export const setSchema = (engine: EngineName, schema: number) =>
  engine === 'sqlite' ? `pragma user_version = ${schema}` : `update passportd set version = ${schema}`

/** Drops the columns, indexes and tables that migrations since 0.2.1 have added, and makes those again that they dropped. */
const REVERTED = [
  'drop index if exists v1_passports_listed',
  'alter table v1_passports add column version integer not null default 0',
  'create index v1_passports_by_version on v1_passports (version)',
  'create table unlisted (passport_id bigint)',
  'drop table audit',
  'drop table subscriptions',
  'drop table leases',
  'drop table log_secrets',
  'delete from events where type = 0',
  'drop table proofs',
  'drop table requests',
  'drop table barred_wallets',
  'drop table facets',
  'drop index data_points_by_account',
  'drop index passports_by_rescore',
  'drop index passports_hidden',
  'drop index mirrored_by_passport',
  ...Object.entries({
    events: ['actor'],
    event_log: ['base', 'head', 'head_at'],
    keys: ['scopes', 'origins', 'types', 'seen_in_browser'],
    data_points: ['issuer', 'added_at', 'account_key', 'written_for'],
    passports: [
      ...['rescore_at', 'hidden_at'],
      ...['given_score', 'given_activity_score', 'given_identity_score', 'given_skills_score'],
    ],
  }).flatMap(([table, columns]) => columns.map((column) => `alter table ${table} drop column ${column}`)),
]

const engineOf = (url: string) => (url.startsWith('sqlite:') ? 'sqlite' : 'postgres')

/** Makes a database look like one before the last two migrations. */
export async function revertLastMigration(url: string): Promise<void> {
  await separateCredentials(url)
  for (const change of packEvents(await select(url, EVENT_ROWS))) await execute(url, change)
  await execute(url, setSchema(engineOf(url), engineOf(url) === 'sqlite' ? 19 : 14))
}

/** Makes a database look like one of version 0.2.1. */
export async function revertSchema(url: string): Promise<void> {
  const engine = engineOf(url)
  await revertLastMigration(url)
  for (const change of REVERTED) await execute(url, change)
  await execute(url, `create table ${engine === 'sqlite' ? 'ranking' : 'versions'} (version bigint)`)
  await execute(url, setSchema(engine, OLD_SCHEMA[engine]))
}

/** The last schema that stored credentials in two tables. */
const TWO_TABLES = { sqlite: 20, postgres: 15 }

type Row = { passport_id: number; shown: string; given: string | null; issuers: string; isListed: boolean }

/** Makes a database look like one of the last schema that stored credentials in two tables. */
export async function separateCredentials(url: string): Promise<void> {
  const rows = await select<Row>(
    url,
    `select cast(passport_id as double precision) as passport_id, shown, given, issuers,
       merged_into is null and hidden_at is null as "isListed"
     from credentials join passports on id = passport_id`,
  )
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
  const inserts = rows.flatMap((row) => {
    const { passport_id: id, isListed } = row
    const data = isListed && row.given === null ? '' : JSON.stringify(fromCredentialsRow(row))
    const body = quote(`{"passport_credentials":${row.shown}}`)
    return [
      `insert into credentials values (${id}, ${quote(data)})`,
      ...(isListed ? [`insert into v1_credentials values (${id}, ${body}, '')`] : []),
    ]
  })
  const script = [
    'drop table credentials',
    'create table credentials (passport_id bigint primary key, data text not null)',
    'create table v1_credentials (passport_id bigint primary key, body text not null, etag text not null)',
    ...inserts,
    setSchema(engineOf(url), TWO_TABLES[engineOf(url)]),
  ]
  await execute(url, script.join(';\n'))
}
