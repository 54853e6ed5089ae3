import { expect, test } from 'bun:test'
import type { Store } from '../../../../../src/core/store/store.ts'
import { serveProcess } from '../../../../support/cli.ts'
import { tcpProxy } from '../../../../support/http/tcp-proxy.ts'
import { connect, openAndClose } from '../../../../support/postgres/connection-urls.ts'
import { startPostgres, startReplica, testDatabase } from '../../../../support/postgres/postgres.ts'
import { listAll } from '../../../../support/store/catalog.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT } from '../../../../support/store/open.ts'
import { apiKey, NOON, named } from '../../../../support/store/records.ts'
import { tempFolder } from '../../../../support/temp-folder.ts'
import { succeeds, until } from '../../../../support/wait-until.ts'

const idsOf = async (store: Store) => (await listAll(store)).items.map(({ id }) => id).join()

test('a node that has lost the primary reads the revocation of a key from the replica', async () => {
  await using primary = await startPostgres()
  await using admin = await openPostgres(primary)
  await admin.keys.create(apiKey('k'))
  await using replica = await startReplica(primary)
  const proxy = await tcpProxy(primary.port)
  const url = primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`)
  await using node = await openPostgres({ url, readUrls: [replica.url] }, SERVE_TIMEOUT)
  expect(await node.keys.find('k')).toMatchObject({ id: 'k' })
  await proxy[Symbol.asyncDispose]()
  await until(async () => (await node.ping()).writes === false)
  await admin.keys.revoke('k', NOON)
  await until(async () => (await node.keys.find('k'))?.revokedAt === NOON)
})

test('a failover clears the caches of keys and lists, even if the new server has the same counters', async () => {
  await using database = await testDatabase()
  const sql = connect(database.url.replace(database.name, 'postgres'))
  const old = await openPostgres(database)
  await old.keys.create(apiKey('k'))
  await saveRecords(old, [named(1, 'One', 1)])
  await old.close()
  // This copy stands for a standby that lacks the last changes of the primary.
  const standby = `${database.name}_b`
  await sql.unsafe(`create database ${standby} template ${database.name}`)
  const late = await openPostgres(database)
  await late.keys.create(apiKey('lost'))
  await saveRecords(late, [named(2, 'Lost', 5)])
  await late.close()
  const node = await openPostgres(database, SERVE_TIMEOUT)
  await node.keys.find('k')
  expect(await idsOf(node)).toBe('2,1')

  const leave = (name: string) =>
    sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await sql.unsafe(`alter database ${database.name} allow_connections false`)
  await leave(database.name)
  await until(async () => !(await succeeds(node.ping())))
  // The same number of changes as in the old database, so that the counters are equal.
  const promoted = await openPostgres({ url: database.url.replace(database.name, standby) })
  await promoted.keys.revoke('k', NOON)
  await saveRecords(promoted, [named(3, 'New', 7)])
  await promoted.close()
  const rename = (from: string, to: string) => sql.unsafe(`alter database ${from} rename to ${to}`)
  await until(async () => {
    await leave(standby)
    await leave(database.name)
    return (
      (await succeeds(rename(database.name, `${database.name}_old`))) &&
      (await succeeds(rename(standby, database.name)))
    )
  })
  await until(() => succeeds(node.ping()))
  await until(async () => (await node.keys.find('k'))?.revokedAt === NOON)
  await until(async () => (await idsOf(node)) === '3,1')
  await node.close()
  await sql.unsafe(`drop database ${database.name}_old with (force)`)
  await sql.close()
})

test('a node that starts while the primary is unavailable leaks no connections', async () => {
  await using primary = await startPostgres()
  await openAndClose(primary.url)
  await using replica = await startReplica(primary)
  await primary.stop()
  using folder = tempFolder()
  const env = { DATABASE_URL: primary.url, DATABASE_READ_URL: replica.url }
  await using node = await serveProcess([], { cwd: folder.path, env })
  await using sql = connect(replica.url)
  const count = async () =>
    (
      await sql`select count(*)::integer as count from pg_stat_activity where application_name = 'passportd'`
    )[0].count
  // Repeated failures are logged once a minute. The limit of 27 is for four threads, each with its own pools.
  const failed: string[] = []
  const reading = (async () => {
    for await (const chunk of node.child.stderr)
      failed.push(...(new TextDecoder().decode(chunk).match(/Scoring failed/g) ?? []))
  })()
  await until(async () => failed.length >= 1)
  expect(await count()).toBeLessThanOrEqual(27)
  node.child.kill('SIGKILL')
  await reading
})
