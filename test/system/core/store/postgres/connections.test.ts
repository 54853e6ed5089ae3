import { expect, test } from 'bun:test'
import type { SQL } from 'bun'
import { openPool } from '../../../../../src/core/store/database/postgres/connection/pool.ts'
import { serveProcess } from '../../../../support/cli.ts'
import { PLAN } from '../../../../support/features/retire.ts'
import { tcpProxy } from '../../../../support/http/tcp-proxy.ts'
import { listAll } from '../../../../support/index/local-index.ts'
import { owning } from '../../../../support/owning.ts'
import { change, connect, openAndClose, withOptions } from '../../../../support/postgres/connection-urls.ts'
import { testDatabase } from '../../../../support/postgres/postgres.ts'
import { expectRefusal } from '../../../../support/program/errors.ts'
import { databaseMaker, saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT } from '../../../../support/store/open.ts'
import { ada, grace, named } from '../../../../support/store/records.ts'
import { tempFolder } from '../../../../support/temp-folder.ts'
import { succeeds, until } from '../../../../support/wait-until.ts'

/** The delay of each response. Opening a connection takes several round trips, and a statement takes up to two. */
const DELAY = 400

/** The maximum number of statements that wait for one server. */
const MOST_PENDING = 500

/** The number of connections besides those for short statements. */
const LONG_STATEMENTS = 2
const WATCH = 1

/** Creates a database that is reached through a proxy. */
async function proxiedDatabase() {
  const database = await databaseMaker('postgres')()
  const proxy = await tcpProxy(Number(new URL(database.url).port))
  const url = change(database.url, (to) => {
    to.port = String(proxy.port)
  })
  return owning({ url, directUrl: database.url, proxy }, database, proxy)
}

/** Locks the table and returns the function that unlocks it. */
async function lockPassports(sql: SQL): Promise<() => Promise<unknown>> {
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = sql.begin(async (transaction) => {
    await transaction`lock table passports in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  return () => {
    held.resolve()
    return locking
  }
}

test('closing a pool rejects calls that are waiting and later ones', async () => {
  await using database = await databaseMaker('postgres')()
  const pool = openPool(database.url, { connections: 1, responseTimeout: 10_000 })
  await pool.ping()
  const waiting = pool.readLong('select pg_sleep(60)').catch((error) => error.message)
  await pool.close()
  expect(await waiting).toContain('is closed')
  await expect(pool.ping()).rejects.toThrow('is closed')
})

test('connections that stop responding are replaced, and calls fail as unavailable until then', async () => {
  await using database = await proxiedDatabase()
  const { proxy, directUrl } = database
  await using store = await openPostgres(database, {
    connections: 1,
    responseTimeout: 200,
    longStatement: 500,
  })
  await using sql = connect(directUrl)
  /** Drops all connections except the one of the watchdog. */
  async function loseConnections() {
    const ports = await sql<{ port: number }[]>`select client_port as port from pg_stat_activity
      where application_name = 'passportd' and query not like '%transaction_read_only%' and query <> 'select 1'`
    expect(ports).not.toHaveLength(0)
    proxy.lose((port) => ports.some((row) => row.port === port))
  }
  await until(() => succeeds(saveRecords(store, [ada])))
  const find = async () => store.passports.find({ id: 7 })
  const save = async () => saveRecords(store, [grace])
  const recover = async () => {
    for (const work of [find, save]) await until(() => succeeds(work()))
  }
  for (const work of [find, save]) {
    await recover()
    await loseConnections()
    await expectRefusal(work(), 'unavailable')
  }
  await recover()
})

test('a node starts and is ready although each response of PostgreSQL takes almost half a second', async () => {
  await using database = await proxiedDatabase()
  await openAndClose(database.directUrl)
  database.proxy.slowDown(DELAY)
  using folder = tempFolder()
  await using node = await serveProcess([], { cwd: folder.path, env: { DATABASE_URL: database.url } })
  expect((await fetch(`${node.url}/ready`)).status).toBe(200)
  expect((await fetch(`${node.url}/api/v3/passports/7`)).status).toBe(404)
})

test('requests wait for a locked table, and are refused only if the queue is full', async () => {
  await using database = await testDatabase()
  // A long timeout, so that only the queue refuses requests.
  await using store = await openPostgres(database, { connections: 4, responseTimeout: 60_000 })
  await saveRecords(store, [named(1, 'One')])
  await using sql = connect(database.url)
  const unlock = await lockPassports(sql)
  const find = async () => (await store.passports.find({ id: 1 }))?.id
  const waiting = Array.from({ length: MOST_PENDING }, find)
  const refused = await find().catch((error) => error.code)
  await unlock()
  expect(refused).toBe('overloaded')
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]))
  expect(await find()).toBe(1)
})

test('a statement that waits too long for a lock fails, and other requests succeed meanwhile', async () => {
  await using database = await testDatabase()
  await using store = await openPostgres(database, { connections: 4, responseTimeout: 500 })
  await until(() => succeeds(saveRecords(store, [named(1, 'One')])))
  await using sql = connect(database.url)
  const unlock = await lockPassports(sql)
  const outcome = await Promise.resolve(store.passports.find({ id: 1 })).catch((error) => error.code)
  await until(() => succeeds(store.data(PLAN).find()))
  await unlock()
  expect(outcome).toBe('unavailable')
  await until(() => succeeds(store.passports.find({ id: 1 })))
})

test('the store never opens more than the configured number of connections, even for many concurrent reads', async () => {
  await using database = await databaseMaker('postgres')()
  await using store = await openPostgres(database, { connections: 5 })
  await saveRecords(store, [named(1, 'Ada')])
  await using sql = connect(database.url)
  const count = async (): Promise<{ open: number; waiting: number }> => {
    const [row] = await sql`select count(*)::integer as open,
        count(*) filter (where wait_event_type = 'Lock')::integer as waiting
      from pg_stat_activity where application_name = 'passportd' and datname = current_database()`
    return row
  }
  await using locker = connect(database.url)
  const { reads } = await locker.begin(async (transaction) => {
    await transaction`lock table passports in access exclusive mode`
    const reads = Array.from({ length: 200 }, () => store.passports.find({ id: 1 }))
    await until(async () => (await count()).waiting === 5)
    expect((await count()).open).toBeLessThanOrEqual(5 + LONG_STATEMENTS + WATCH)
    return { reads }
  })
  for (const found of await Promise.all(reads)) expect(found).toMatchObject({ id: 1 })
  expect((await count()).open).toBeLessThanOrEqual(5 + LONG_STATEMENTS + WATCH)
})

test('connections set statement_timeout, application_name and jit', async () => {
  await using database = await databaseMaker('postgres')()
  await using sql = connect(database.url)
  await sql`create table logins (name text, time_limit text, jit text)`
  await sql`create function note_login() returns event_trigger language plpgsql as $$ begin
    insert into logins values (current_setting('application_name'), current_setting('statement_timeout'),
      current_setting('jit'));
  end $$`
  await sql.unsafe(`alter database ${new URL(database.url).pathname.slice(1)} set jit = on`)
  await sql`create event trigger note_login on login execute function note_login()`
  const store = await openPostgres({ url: withOptions(database.url, 'statement_timeout=0') }, SERVE_TIMEOUT)
  await store.database.ping()
  await listAll(store)
  await store.database.close()
  expect([...(await sql`select distinct * from logins where name <> '' order by 2`)]).toEqual([
    { name: 'passportd', time_limit: '1min', jit: 'off' },
    { name: 'passportd', time_limit: '7500ms', jit: 'off' },
  ])
})
