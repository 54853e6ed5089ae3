import { expect, test } from 'bun:test'
import {
  namePostgres,
  parsePostgresUrl,
  parsePostgresUrls,
  splitHosts,
} from '../../../../../src/core/store/database-address.ts'
import type { Store } from '../../../../../src/core/store/store.ts'
import { callHere } from '../../../../support/cli-in-process.ts'
import { connect, openAndClose, withOptions } from '../../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres, startReplica } from '../../../../support/postgres/postgres.ts'
import { readConfig } from '../../../../support/program/settings.ts'
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

test('a replica address with several hosts is split into one address for each host', () => {
  expect(parsePostgresUrls('postgres://me@one:5433,two/db, postgres://me@three/db')).toEqual([
    'postgres://me@one:5433/db',
    'postgres://me@two/db',
    'postgres://me@three/db',
  ])
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

test('without a primary, reads use a standby among the hosts of DATABASE_URL until it is promoted', async () => {
  await using primary = await startPostgres()
  const writer = await openPostgres(primary)
  await saveRecords(writer, [named(1, 'Ada')])
  await writer.close()
  await using standby = await startReplica(primary)
  await using sql = connect(standby.url)
  await until(async () => (await sql`select from passports`).length === 1)
  const url = joinHosts(primary, standby)
  const notices: string[] = []
  const options = { ...SERVE_TIMEOUT, onNotice: (sentence: string) => notices.push(sentence) }
  await using node = await openPostgres({ url }, options)
  await until(async () => (await node.ping()).writes)
  const find = async (store: Store) => (await store.passports.find({ id: 1 }))?.id

  await primary.stop()
  await until(async () => (await find(node).catch(() => undefined)) === 1)
  await until(async () => !(await node.ping()).writes)
  // The node has noticed the outage, so no read fails from now on.
  for (let time = 0; time < 20; time++) expect(await find(node)).toBe(1)
  expect(await node.ping()).toEqual({ writes: false })
  expect(await succeeds(saveRecords(node, [named(2, 'Bob')]))).toBe(false)
  const noPrimary = `No host of ${namePostgres(url)} accepts writes: reads use a standby, and writes wait for a primary.`
  await until(() => notices.includes(noPrimary))
  // A node can start without a primary, too.
  await using late = await openPostgres({ url }, { ...SERVE_TIMEOUT, migrate: false })
  expect(await find(late)).toBe(1)

  await sql`select pg_promote()`
  await until(() => succeeds(saveRecords(node, [named(2, 'Bob')])))
  await until(() => succeeds(saveRecords(late, [named(3, 'Eve')])))
  expect(notices.at(-1)).toBe(`${namePostgres(standby.url)} accepts writes: it is the primary now.`)
  expect(notices.join('\n')).not.toContain('DATABASE_READ_URL')
})

test('a primary that is also in DATABASE_READ_URL has the state ok, before and after a failover', async () => {
  await using primary = await startPostgres()
  await openAndClose(primary.url)
  await using standby = await startReplica(primary)
  const url = joinHosts(primary, standby)
  const env = { DATABASE_URL: url, DATABASE_READ_URL: url }
  const { database } = readConfig(env, {})
  if (database.engine !== 'postgres') throw new Error('The address is one of PostgreSQL.')
  const notices: string[] = []
  await using node = await openPostgres(database, {
    ...SERVE_TIMEOUT,
    onNotice: (sentence) => notices.push(sentence),
  })
  const states = async () => (await node.ping()).replicas?.map(({ state }) => state).join()
  await until(async () => (await states()) === 'ok,ok')
  const { code, out } = await callHere(['doctor'], { env })
  expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/ok +replica .* is available\./) })

  await primary.stop()
  await until(async () => (await states()) === 'unavailable,ok')
  await using sql = connect(standby.url)
  await sql`select pg_promote()`
  await until(() => succeeds(saveRecords(node, [named(2, 'Bob')])))
  expect(await states()).toBe('unavailable,ok')
  expect(await node.ping()).toMatchObject({ writes: true })
  expect(notices.join('\n')).not.toContain('is no longer a replica')
})
