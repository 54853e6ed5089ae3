import { expect, test } from 'bun:test'
import { namePostgres, parsePostgresUrl, splitHosts } from '../../../../../src/core/store/database-address.ts'
import { callHere } from '../../../../support/cli-in-process.ts'
import { listAll } from '../../../../support/index/local-index.ts'
import { connect, openAndClose, withOptions } from '../../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres, startReplica } from '../../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT } from '../../../../support/store/open.ts'
import { named } from '../../../../support/store/records.ts'
import { succeeds, until } from '../../../../support/wait-until.ts'

test('an address with several hosts is split into one URL for each host', () => {
  const url = 'postgres://me:a,b%40c@one:5433,two/db?max=3&target_session_attrs=read-write'
  expect(parsePostgresUrl(url)).toBe(url)
  expect(splitHosts(url)).toEqual([
    'postgres://me:a,b%40c@one:5433/db?max=3',
    'postgres://me:a,b%40c@two/db?max=3',
  ])
  expect(namePostgres(url)).toBe('postgres://one:5433,two/db')
  expect(parsePostgresUrl('postgres://me:secret@one:x,two/db')).toBeUndefined()
})

/** One address that has both servers as hosts. */
const joinHosts = (one: PostgresServer, other: PostgresServer) =>
  one.url.replace(`:${one.port}/`, `:${one.port},127.0.0.1:${other.port}/`)

test('writes go to the host that accepts them, also after a failover', async () => {
  await using primary = await startPostgres()
  await openAndClose(primary.url)
  await using standby = await startReplica(primary)
  // The first host of the address is the standby, which responds but accepts no writes.
  const url = withOptions(joinHosts(standby, primary), 'target_session_attrs=read-write')
  await using node = await openPostgres({ url }, SERVE_TIMEOUT)
  await saveRecords(node, [named(1, 'Ada')])
  await using sql = connect(standby.url)
  await until(async () => (await sql`select from passports`).length === 1)
  expect((await callHere(['doctor'], { env: { DATABASE_URL: url } })).code).toBe(0)

  await primary.stop()
  await sql`select pg_promote()`
  await until(() => succeeds(saveRecords(node, [named(2, 'Bob')])))
  expect(await sql`select from passports`).toHaveLength(2)
})

test('without a host that accepts writes, calls fail with the reason of each host until there is one', async () => {
  await using primary = await startPostgres()
  await openAndClose(primary.url)
  await using standby = await startReplica(primary)
  const url = joinHosts(primary, standby)
  const notices: string[] = []
  const options = { ...SERVE_TIMEOUT, onNotice: (sentence: string) => notices.push(sentence) }
  await using node = await openPostgres({ url }, options)
  expect(await node.database.ping()).toEqual({ writes: true })
  await primary.stop()
  await until(async () => !(await succeeds(node.database.ping())))
  const refusal = await openAndClose(url).catch(({ message }) => message)
  expect(refusal).toStartWith(`${namePostgres(url)} has no host that can be used. `)
  expect(refusal).toContain(`${namePostgres(primary.url)} is unavailable`)
  expect(refusal).toContain(`${namePostgres(standby.url)} is a standby.`)
  expect(notices.join()).toContain('has no host that can be used')

  await using sql = connect(standby.url)
  await sql`select pg_promote()`
  await until(() => succeeds(saveRecords(node, [named(2, 'Bob')])))
  expect(notices.at(-1)).toBe(`${namePostgres(url)} responds again.`)
})

test('long reads use the first host of DATABASE_READ_URL that responds, and all others the primary', async () => {
  await using primary = await startPostgres()
  await using writer = await openPostgres(primary)
  await saveRecords(writer, [named(1, 'Ada')])
  await using standby = await startReplica(primary)
  await using sql = connect(standby.url)
  await until(async () => (await sql`select from passports`).length === 1)
  await sql`select pg_wal_replay_pause()`
  await saveRecords(writer, [named(2, 'Bob')])

  const readUrl = joinHosts(standby, primary)
  await using node = await openPostgres({ url: primary.url, readUrl }, SERVE_TIMEOUT)
  const idsOf = (list: readonly { id: number }[]) => list.map(({ id }) => id)
  expect(idsOf(await node.records.list(0, 10))).toEqual([1])
  expect(await node.passports.find({ id: 2 })).toMatchObject({ id: 2 })
  // The ranking of the standby, and the changes of the primary.
  expect(idsOf((await listAll(node)).items)).toEqual([1, 2])

  await standby.stop()
  await until(async () => idsOf(await (async () => node.records.list(0, 10))().catch(() => [])).length === 2)
})
