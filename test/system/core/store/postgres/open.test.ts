import { describe, expect, test } from 'bun:test'
import { openPostgres } from '../../../../../src/core/store/database/postgres/open.ts'
import { SCHEMA } from '../../../../../src/core/store/schema.ts'
import { listAll } from '../../../../support/index/local-index.ts'
import {
  change,
  connect,
  openAndClose,
  refusalOf,
  withOptions,
} from '../../../../support/postgres/connection-urls.ts'
import { startPostgres, startReplica, testDatabase } from '../../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { named } from '../../../../support/store/records.ts'
import { succeeds, until } from '../../../../support/wait-until.ts'

const TABLES = `select schemaname::text as schema, tablename::text as name from pg_tables
  where schemaname not in ('pg_catalog', 'information_schema') order by 1, 2`

describe('postgres: opening', () => {
  test('several nodes create the tables of an empty database once', async () => {
    await using database = await testDatabase()
    const opened = Array.from({ length: 6 }, () => openPostgres({ url: database.url }))
    const stores = await Promise.all(opened)
    await using sql = connect(database.url)
    expect([...(await sql`select version from passportd`)]).toEqual([{ version: SCHEMA }])
    await saveRecords(stores[0] as (typeof stores)[0], [named(1, 'Ada')])
    await Promise.all(stores.map((store) => store.database.close()))
  })

  test('a database that a newer passportd has migrated is refused', async () => {
    await using database = await testDatabase()
    await openAndClose(database.url)
    await using sql = connect(database.url)
    await sql`update passportd set version = 99`
    expect(await refusalOf(database.url)).toContain(
      `/${database.name} was written by a newer passportd (schema 99, this one knows ${SCHEMA})`,
    )
  })

  test.each(['passports', 'listing', 'passportd'])(
    'a database in which another program has a table %s is refused, and stays unchanged',
    async (name) => {
      await using database = await testDatabase()
      await using sql = connect(database.url)
      await sql.unsafe(`create table ${name} (cats text)`)
      expect(await refusalOf(database.url)).toContain(`/${database.name} holds tables of another program: `)
      expect([...(await sql.unsafe(TABLES))]).toEqual([{ schema: 'public', name }])
    },
  )

  test('search_path in the URL puts every table into that schema', async () => {
    await using database = await testDatabase()
    await using sql = connect(database.url)
    await sql`create schema mine`
    await sql`create table public.passports (cats text)`
    await sql`create table mine.names (cats text)`
    const store = await openPostgres({ url: withOptions(database.url, 'search_path=mine,public') })
    await saveRecords(store, [named(1, 'Ada')])
    expect(await listAll(store, { keyword: 'ada' })).toMatchObject({ total: 1 })
    await store.database.close()
    const tables = [...(await sql.unsafe(TABLES))] as { schema: string; name: string }[]
    expect(tables.filter(({ schema }) => schema === 'public')).toEqual([
      { schema: 'public', name: 'passports' },
    ])
    expect(tables.filter(({ schema }) => schema === 'mine').map(({ name }) => name)).toContain('passports')
  })

  test.each([
    ['search_path=nowhere', 'cannot be prepared: no schema has been selected to create in'],
    ['colour=red', 'cannot be used: unrecognized configuration parameter "colour"'],
    ['sslmode=maybe', 'cannot be used: '],
    ['sslmode=verify-full&sslrootcert=/nowhere/ca.pem', 'cannot be used: '],
  ])('the option %s in the URL is refused in one sentence', async (options, sentence) => {
    await using database = await testDatabase()
    expect(await refusalOf(withOptions(database.url, options))).toContain(`/${database.name} ${sentence}`)
  })
})

test('postgres: a role without the right to create or read tables is refused in one sentence', async () => {
  await using server = await startPostgres()
  await using sql = connect(server.url)
  await sql`create role clerk login password 'clerk-secret'`
  const clerk = { username: 'clerk', password: 'clerk-secret' }
  const clerkUrl = change(server.url, (url) => Object.assign(url, clerk))
  expect(await refusalOf(clerkUrl)).toContain(
    'postgres cannot be prepared: permission denied for schema public. The role needs the right to create tables',
  )
  await openAndClose(server.url)
  expect(await refusalOf(clerkUrl)).toContain('permission denied for table passportd')
})

describe('postgres: an unavailable server', () => {
  test.each([
    ['a wrong password', { password: 'guess' }, 'refuses the user or password of its address'],
    ['an unknown user', { username: 'mallory' }, 'refuses the user or password of its address'],
    [
      'a missing database',
      { pathname: 'nowhere' },
      'database "nowhere" does not exist. Create it first: createdb.',
    ],
    ['a name that does not resolve', { hostname: 'postgres.invalid' }, 'is unavailable'],
    ['a port without a listener', { port: '1' }, 'is unavailable'],
  ] as const)('%s is refused in one sentence that names the server', async (_, wrong, sentence) => {
    await using database = await testDatabase()
    const url = change(database.url, (url) => Object.assign(url, wrong))
    const { host, pathname } = new URL(url)
    const message = await refusalOf(url)
    expect(message).toContain(sentence)
    expect(message).toStartWith(`postgres://${host}${pathname} `)
  })

  test('a standby is reported as read-only, before and after the tables exist', async () => {
    await using primary = await startPostgres()
    await using standby = await startReplica(primary)
    const sentence = `postgres://127.0.0.1:${standby.port}/postgres is read-only: DATABASE_URL must name the primary`
    expect(await refusalOf(standby.url)).toStartWith(sentence)
    await openAndClose(primary.url)
    await using sql = connect(standby.url)
    while ((await sql`select from pg_tables where tablename = 'passportd'`).length === 0);
    expect(await refusalOf(standby.url)).toStartWith(sentence)
  })

  test('a server that becomes read-only refuses writes in one sentence and still serves reads', async () => {
    await using server = await startPostgres()
    await using store = await openPostgres(server)
    await saveRecords(store, [named(1, 'Ada')])
    expect(await store.database.ping()).toEqual({ writes: true })
    await using sql = connect(server.url)
    await sql`alter system set default_transaction_read_only to on`
    await sql`select pg_reload_conf()`
    await until(async () => !(await store.database.ping()).writes)
    expect(await store.passports.find({ id: 1 })).toMatchObject({ id: 1 })
    const saved = Promise.resolve(saveRecords(store, [named(2, 'Bob')]))
    await expect(saved).rejects.toThrow('is read-only: DATABASE_URL must name the primary')
  })
})

test('a database with an encoding other than UTF-8 is refused in one sentence', async () => {
  await using database = await testDatabase()
  await using sql = connect(database.url)
  const name = `${database.name}_ascii`
  await sql.unsafe(
    `create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
  )
  const url = database.url.replace(database.name, name)
  expect(openPostgres({ url })).rejects.toThrow('is encoded in SQL_ASCII: create it with createdb -E UTF8')
  await until(() => succeeds(sql.unsafe(`drop database ${name} with (force)`)))
})
