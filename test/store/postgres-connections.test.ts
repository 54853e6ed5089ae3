import { expect, test } from 'bun:test'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { saveRecords } from '../support/engines.ts'
import { listAll } from '../support/listing.ts'
import { change, connect } from '../support/opening.ts'
import { testDatabase } from '../support/postgres.ts'
import { until } from '../support/processes.ts'
import { ada, grace } from '../support/records.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'

/** A store before a database, and what loses its connections but the one on which the server is watched. */
async function openBehindProxy() {
  const database = await testDatabase()
  const proxy = await tcpProxy(Number(new URL(database.url).port))
  const url = change(database.url, (url) => {
    url.port = String(proxy.port)
  })
  const store = await openPostgres({ url }, { connections: 1, answerWithin: 200, longStatement: 500 })
  return {
    store,
    async loseOthers() {
      await using sql = connect(database.url)
      const ports = await sql<{ port: number }[]>`select client_port as port from pg_stat_activity
        where application_name = 'passportd' and query not like '%from versions%'`
      expect(ports).not.toHaveLength(0)
      proxy.lose((port) => ports.some((row) => row.port === port))
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await proxy[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

test('connections that die without a word, while others answer, are replaced', async () => {
  await using given = await openBehindProxy()
  const { store } = given
  await saveRecords(store, [ada])
  const find = async () => store.passports.find({ id: 7 })
  expect(await find()).toBeDefined()
  await given.loseOthers()
  await expect(find()).rejects.toMatchObject({ code: 'unavailable' })
  await until(async () => (await find().catch(() => undefined)) !== undefined)
}, 60_000)

test('whoever writes on one that died is told, and can write again', async () => {
  await using given = await openBehindProxy()
  await saveRecords(given.store, [ada])
  await given.loseOthers()
  await expect(saveRecords(given.store, [grace])).rejects.toMatchObject({ code: 'unavailable' })
  await until(async () => (await saveRecords(given.store, [grace]).catch(() => [])).length === 1)
}, 60_000)

test('a ranking that takes too long to read turns nobody else away', async () => {
  await using database = await testDatabase()
  const store = await openPostgres(database, { answerWithin: 200 })
  await saveRecords(store, [ada])
  await using sql = connect(database.url)
  await sql.begin(async (transaction) => {
    await transaction`lock table v1_passports in access exclusive mode`
    const list = async () => listAll(store, { page: 1, size: 1, keyword: undefined })
    await expect(list()).rejects.toMatchObject({ code: 'unavailable' })
    const find = async () => store.passports.find({ id: 7 })
    await until(async () => (await find().catch(() => undefined)) !== undefined)
  })
  await store.close()
}, 60_000)
