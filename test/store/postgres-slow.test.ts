import { expect, test } from 'bun:test'
import { SERVE_TIMEOUT } from '../../src/store/open.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { serveProcess } from '../support/cli.ts'
import { tcpProxy } from '../support/http/tcp-proxy.ts'
import { change, connect, openAndClose } from '../support/postgres/connect.ts'
import { testDatabase } from '../support/postgres/postgres.ts'
import { until } from '../support/processes.ts'
import { databaseMaker, saveRecords } from '../support/store/engines.ts'
import { ada, named } from '../support/store/records.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A connection needs several responses, and a statement up to two. */
const DELAY = 400

/** Statements that wait for one server. */
const MOST_PENDING = 500

async function slowDatabase() {
  const database = await databaseMaker('postgres')()
  const proxy = await tcpProxy(Number(new URL(database.url).port))
  const url = change(database.url, (to) => {
    to.port = String(proxy.port)
  })
  return {
    url,
    directUrl: database.url,
    proxy,
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('reads from a server whose every response takes almost half a second succeed, and the store stays available', async () => {
  await using database = await slowDatabase()
  const notices: string[] = []
  const store = await openPostgres(database, {
    ...SERVE_TIMEOUT,
    connections: 4,
    onNotice: (sentence) => notices.push(sentence),
  })
  await saveRecords(store, [ada])
  database.proxy.slowDown(DELAY)
  const found = await Promise.all(Array.from({ length: 8 }, () => store.passports.find({ id: 7 })))
  expect(found.map((passport) => passport?.id)).toEqual(Array.from({ length: 8 }, () => 7))
  expect(await store.ping()).toEqual({ writes: true })
  expect(notices).toEqual([])
  database.proxy.slowDown(0)
  await store.close()
})

test('a node on a server whose every response takes almost half a second starts and is ready', async () => {
  await using database = await slowDatabase()
  await openAndClose(database.directUrl)
  database.proxy.slowDown(DELAY)
  using folder = tempFolder()
  await using node = await serveProcess([], { cwd: folder.path, env: { DATABASE_URL: database.url } })
  expect((await fetch(`${node.url}/ready`)).status).toBe(200)
  expect((await fetch(`${node.url}/api/v1/passports/7`)).status).toBe(404)
})

test('requests wait for a locked table, and only those above the limit of the queue are refused', async () => {
  await using database = await testDatabase()
  // The limits of time are not the subject here.
  const store = await openPostgres(database, { connections: 4, responseTimeout: 60_000 })
  await saveRecords(store, [named(1, 'One')])
  await using sql = connect(database.url)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = sql.begin(async (transaction) => {
    await transaction`lock table passports in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const find = async () => (await store.passports.find({ id: 1 }))?.id
  const waiting = Array.from({ length: MOST_PENDING }, find)
  const refused = await find().catch((error) => error.code)
  held.resolve()
  await locking
  expect(refused).toBe('overloaded')
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([1]))
  expect(await find()).toBe(1)
  await store.close()
})

test('a statement that the server cancels after its limit does not make others fail', async () => {
  await using database = await testDatabase()
  const store = await openPostgres(database, { connections: 4, responseTimeout: 2000 })
  await saveRecords(store, [named(1, 'One')])
  await using sql = connect(database.url)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = sql.begin(async (transaction) => {
    await transaction`lock table passports in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const outcome = await Promise.resolve(store.passports.find({ id: 1 })).catch((error) => error.code)
  const meanwhile = await Promise.resolve(store.retirement.find()).catch((error) => error.code)
  held.resolve()
  await locking
  expect([outcome, meanwhile]).toEqual(['unavailable', undefined])
  await until(async () => (await store.ping()).writes)
  await store.close()
})
