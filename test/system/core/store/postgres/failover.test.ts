import { expect, test } from 'bun:test'
import type { Store } from '../../../../../src/core/store/store.ts'
import { tcpProxy } from '../../../../support/http/tcp-proxy.ts'
import { listAll } from '../../../../support/index/local-index.ts'
import { connect } from '../../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres, startReplica } from '../../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT } from '../../../../support/store/open.ts'
import { apiKey, NOON, named } from '../../../../support/store/records.ts'
import { until } from '../../../../support/wait-until.ts'

const idsOf = async (store: Store) => (await listAll(store)).items.map(({ id }) => id).join()

/** One address that has both servers as hosts. */
const joinHosts = (one: PostgresServer, other: PostgresServer) =>
  one.url.replace(`:${one.port}/`, `:${one.port},127.0.0.1:${other.port}/`)

test('after a failover that lost transactions, keys and lists are those of the new server', async () => {
  await using primary = await startPostgres()
  await using writer = await openPostgres(primary)
  await writer.keys.create(apiKey('k'))
  await saveRecords(writer, [named(1, 'One', 1)])
  await using proxy = await tcpProxy(primary.port)
  const source = primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`)
  await using standby = await startReplica(primary, source)
  await using node = await openPostgres({ url: joinHosts(primary, standby) }, SERVE_TIMEOUT)
  expect(await idsOf(node)).toBe('1')
  proxy.hang()
  await saveRecords(writer, [named(2, 'Lost', 5)])
  await until(async () => (await idsOf(node)) === '2,1')
  expect(await node.keys.find('k')).not.toHaveProperty('revokedAt')

  await primary.kill()
  await using sql = connect(standby.url)
  await sql`select pg_promote()`
  await using promoted = await openPostgres(standby)
  // The same number of changes as on the lost server, so that the counters are equal.
  await saveRecords(promoted, [named(3, 'New', 7)])
  await promoted.keys.revoke('k', NOON)
  await until(async () => (await idsOf(node).catch(() => '')) === '3,1')
  await until(async () => (await node.keys.find('k'))?.revokedAt === NOON)
})
