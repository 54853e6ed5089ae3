import { expect, test } from 'bun:test'
import type { AddressInfo } from 'node:net'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import type { ApiKey } from '../../src/domain/api-key.ts'
import { SOON } from '../../src/store/open.ts'
import { openPostgres } from '../../src/store/postgres/open.ts'
import { serveProcess } from '../support/cli.ts'
import { saveRecords } from '../support/engines.ts'
import { listAll } from '../support/listing.ts'
import { connect } from '../support/opening.ts'
import { startPostgres, startReplica, testDatabase } from '../support/postgres.ts'
import { until } from '../support/postgres-process.ts'
import { NOON, named } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const all = { page: 1, size: 250, keyword: undefined }
const key = (id: string): ApiKey => ({
  id,
  name: id,
  hash: new Uint8Array([1]),
  tier: 'standard',
  owner: '',
  createdAt: 1,
})

/** A way to a server that can be cut, so that only those who use it lose the server. */
async function lineTo(port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connectTo(port, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return { port: (server.address() as AddressInfo).port, cut, [Symbol.dispose]: cut }
}

test('a node cut off from the primary hears of a revocation from the replica', async () => {
  await using primary = await startPostgres()
  const admin = await openPostgres(primary)
  await admin.keys.create(key('k'))
  await using replica = await startReplica(primary)
  using line = await lineTo(primary.port)
  const url = primary.url.replace(`:${primary.port}/`, `:${line.port}/`)
  const node = await openPostgres({ url, readUrl: replica.url }, SOON)
  expect(await node.keys.find('k')).toMatchObject({ id: 'k' })
  line.cut()
  await until(async () => (await node.ping()).writes === false, 'the primary to be missed')
  await admin.keys.revoke('k', NOON)
  await until(async () => (await node.keys.find('k'))?.revokedAt === NOON, 'the revocation')
  await Promise.all([node.close(), admin.close()])
}, 30_000)

test('after a failover nothing is taken for known, whatever the counters say', async () => {
  await using database = await testDatabase()
  const sql = connect(database.url.replace(database.name, 'postgres'))
  const old = await openPostgres(database)
  await old.keys.create(key('k'))
  await saveRecords(old, [named(1, 'One', 1)])
  await old.close()
  // A standby that lacks the last changes of the primary.
  const standby = `${database.name}_b`
  await sql.unsafe(`create database ${standby} template ${database.name}`)
  const late = await openPostgres(database)
  await late.keys.create(key('lost'))
  await saveRecords(late, [named(2, 'Lost', 5)])
  await late.close()
  const node = await openPostgres(database, SOON)
  await node.keys.find('k')
  expect((await listAll(node, all)).items.map(({ id }) => id)).toEqual([2, 1])

  const leave = (name: string) =>
    sql.unsafe(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`)
  await sql.unsafe(`alter database ${database.name} allow_connections false`)
  await leave(database.name)
  await until(
    () =>
      Promise.resolve(node.ping()).then(
        () => false,
        () => true,
      ),
    'the primary to be missed',
  )
  // The same number of changes there brings the same counters.
  const promoted = await openPostgres({ url: database.url.replace(database.name, standby) })
  await promoted.keys.revoke('k', NOON)
  await saveRecords(promoted, [named(3, 'New', 7)])
  await promoted.close()
  await until(async () => {
    await leave(standby)
    await leave(database.name)
    return sql
      .unsafe(`alter database ${database.name} rename to ${database.name}_old`)
      .then(() => sql.unsafe(`alter database ${standby} rename to ${database.name}`))
      .then(
        () => true,
        () => false,
      )
  }, 'the databases to change places')
  await until(
    () =>
      Promise.resolve(node.ping()).then(
        () => true,
        () => false,
      ),
    'the new primary',
  )
  await until(async () => (await node.keys.find('k'))?.revokedAt === NOON, 'the revocation')
  await until(
    async () =>
      Bun.deepEquals(
        (await listAll(node, all)).items.map(({ id }) => id),
        [3, 1],
      ),
    'the list of the new primary',
  )
  await node.close()
  await sql.unsafe(`drop database ${database.name}_old with (force)`)
  await sql.close()
}, 30_000)

test('a node that starts while the primary is away leaves no connections behind', async () => {
  await using primary = await startPostgres()
  await (await openPostgres(primary)).close()
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
  // The scorer tries again every five seconds; the short pool and the look make up the rest.
  const failed: string[] = []
  const reading = (async () => {
    for await (const chunk of node.child.stderr)
      failed.push(...(new TextDecoder().decode(chunk).match(/Scoring failed/g) ?? []))
  })()
  await until(async () => failed.length >= 2, 'the scorer to fail twice')
  expect(await count()).toBeLessThanOrEqual(16)
  node.child.kill('SIGKILL')
  await reading
}, 40_000)

test('a database that is not encoded in UTF-8 is refused in a sentence', async () => {
  await using database = await testDatabase()
  await using sql = connect(database.url)
  const name = `${database.name}_ascii`
  await sql.unsafe(
    `create database ${name} template template0 encoding 'SQL_ASCII' locale_provider libc locale 'C'`,
  )
  const url = database.url.replace(database.name, name)
  expect(openPostgres({ url })).rejects.toThrow('is encoded in SQL_ASCII: make it with createdb -E UTF8')
  await until(
    () =>
      sql.unsafe(`drop database ${name} with (force)`).then(
        () => true,
        () => false,
      ),
    'it to be dropped',
  )
})

test('a table that somebody locks costs nobody more than two seconds', async () => {
  await using database = await testDatabase()
  const node = await openPostgres(database, { ...SOON, connections: 10 })
  await saveRecords(node, [named(1, 'One')])
  await node.passports.find({ id: 1 })
  await using sql = connect(database.url)
  const held = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const locking = sql.begin(async (transaction) => {
    await transaction`lock table passports in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const begin = performance.now()
  const times = await Promise.all(
    Array.from({ length: 200 }, async () => {
      const failure = await Promise.resolve(node.passports.find({ id: 1 })).catch((error) => error.code)
      expect(failure).toBe('unavailable')
      return performance.now() - begin
    }),
  )
  expect(Math.max(...times)).toBeLessThan(2000)
  held.resolve()
  await locking
  await until(
    () =>
      Promise.resolve(node.passports.find({ id: 1 })).then(
        (found) => found?.id === 1,
        () => false,
      ),
    'answers again',
  )
  await node.close()
}, 30_000)
