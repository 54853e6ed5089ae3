import { expect, test } from 'bun:test'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { tcpProxy } from '../support/http/tcp-proxy.ts'
import { change, connect, succeeds } from '../support/postgres/connect.ts'
import { until } from '../support/processes.ts'
import { listAll } from '../support/store/catalog.ts'
import { databaseMaker, saveRecords } from '../support/store/engines.ts'
import { ada, grace } from '../support/store/records.ts'

test('connections that die silently are replaced, and calls fail with unavailable until then', async () => {
  await using database = await databaseMaker('postgres')()
  await using proxy = await tcpProxy(Number(new URL(database.url).port))
  const url = change(database.url, (url) => {
    url.port = String(proxy.port)
  })
  const store = await openPostgres({ url }, { connections: 1, responseTimeout: 200, longStatement: 500 })
  await using sql = connect(database.url)
  /** Drops all connections except the one of the health checks. */
  async function loseConnections() {
    const ports = await sql<{ port: number }[]>`select client_port as port from pg_stat_activity
      where application_name = 'passportd' and query not like '%from versions%'`
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
    await expect(work()).rejects.toMatchObject({ code: 'unavailable' })
  }
  await recover()
  await store.close()
})

test('a slow read of the ranking does not make other requests fail', async () => {
  await using database = await databaseMaker('postgres')()
  const store = await openPostgres(database, { responseTimeout: 200, longStatement: 500 })
  await until(() => succeeds(saveRecords(store, [ada])))
  await using sql = connect(database.url)
  await sql.begin(async (transaction) => {
    await transaction`lock table v1_passports in access exclusive mode`
    const list = async () => listAll(store, { page: 1, size: 1, keyword: undefined })
    await expect(list()).rejects.toMatchObject({ code: 'unavailable' })
    const find = async () => store.passports.find({ id: 7 })
    await until(async () => (await find().catch(() => undefined)) !== undefined)
  })
  await store.close()
})
