import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import type { EventCursor } from '../../../../../src/core/history/event-cursor.ts'
import type { Store } from '../../../../../src/core/store/store.ts'
import { findDiff } from '../../../../../src/features/events/diff.ts'
import { serveTest } from '../../../../support/http/server.ts'
import { tcpProxy } from '../../../../support/http/tcp-proxy.ts'
import { owning } from '../../../../support/owning.ts'
import { connect } from '../../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres, startReplica } from '../../../../support/postgres/postgres.ts'
import { expectRefusal } from '../../../../support/program/errors.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT, V1_BODIES } from '../../../../support/store/open.ts'
import { NOON, named } from '../../../../support/store/records.ts'
import { until } from '../../../../support/wait-until.ts'

const MAX_LAG = 300

/** Starts a migrated primary with three passports, and a proxy for its replication. */
async function startPrimary() {
  const primary = await startPostgres()
  const writer = await openPostgres(primary)
  await saveRecords(
    writer,
    [1, 2, 3].map((id) => named(id, 'Ada')),
  )
  const proxy = await tcpProxy(primary.port)
  const source = primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`)
  return owning({ primary, writer, proxy, source }, primary, proxy, writer)
}

async function openNode(
  primary: PostgresServer,
  replicas: readonly PostgresServer[],
  maxLag = MAX_LAG,
  responseTimeout = SERVE_TIMEOUT.responseTimeout,
) {
  const notices: string[] = []
  const store = await openPostgres(
    { url: primary.url, readUrls: replicas.map(({ url }) => url), maxLag },
    { responseTimeout, onNotice: (sentence) => notices.push(sentence) },
  )
  return { ...store, notices }
}

const statesOf = async (store: Store) => (await store.ping()).replicas?.map(({ state }) => state).join()
const waitFor = (store: Store, states: string) => until(async () => (await statesOf(store)) === states)

describe('with one replica', () => {
  let cluster: Awaited<ReturnType<typeof startPrimary>>
  let replica: PostgresServer
  beforeAll(async () => {
    cluster = await startPrimary()
    replica = await startReplica(cluster.primary, cluster.source)
  })
  afterAll(async () => {
    await replica[Symbol.asyncDispose]()
    await cluster[Symbol.asyncDispose]()
  })

  test('a replica of an idle primary has no lag', async () => {
    await using node = await openNode(cluster.primary, [replica])
    await waitFor(node, 'ok')
    const later = performance.now() + 3_600_000
    const clock = spyOn(performance, 'now').mockImplementation(() => later)
    await waitFor(node, 'ok')
    expect((await node.ping()).replicas).toMatchObject([{ state: 'ok', lag: 0 }])
    clock.mockRestore()
  })

  test('a read after a write waits for the replica, and responds 503 with the code behind after two seconds', async () => {
    await using node = await openNode(cluster.primary, [replica], 60_000)
    await waitFor(node, 'ok')
    await using server = serveTest(node)
    const read = async ({ log, sequence }: EventCursor) => {
      const { status, body, headers } = await server.get(`/api/v3/passports/2?after=${log}-${sequence}`)
      return [status, body.code, headers.get('Retry-After')]
    }
    cluster.proxy.hang()
    const end = await cluster.writer.passports.merge(2, 3, NOON)
    expect(await read(end)).toEqual([503, 'behind', '2'])
    const waiting = read(end)
    cluster.proxy.flow()
    expect(await waiting).toEqual([200, undefined, null])
    await cluster.writer.passports.unmerge(2, NOON)
  })

  test('a replica that no longer receives changes is not read, so that a removed passport is not found', async () => {
    await using node = await openNode(cluster.primary, [replica])
    await waitFor(node, 'ok')
    cluster.proxy.hang()
    await cluster.writer.passports.remove(1, NOON)
    await waitFor(node, 'lagging')
    expect(await node.data(V1_BODIES).findPassport({ id: 1 })).toBeUndefined()
    const { replicas } = await node.ping()
    expect(replicas?.[0]?.lag).toBeGreaterThan(MAX_LAG)
    await until(() => node.notices.some((sentence) => /behind its primary: other servers/.test(sentence)))
    cluster.proxy.flow()
    await waitFor(node, 'ok')
    await until(() => node.notices.some((sentence) => sentence.includes('is up to date again')))
  })

  test('a replica that was already behind at the start is not read', async () => {
    cluster.proxy.hang()
    await cluster.writer.passports.remove(2, NOON)
    await using node = await openNode(cluster.primary, [replica])
    expect(await node.data(V1_BODIES).findPassport({ id: 2 })).toBeUndefined()
    await waitFor(node, 'lagging')
    expect(await node.data(V1_BODIES).findPassport({ id: 2 })).toBeUndefined()
    cluster.proxy.flow()
  })

  test('the causes in a diff add up even if the passport is read from a lagging replica and its events from the primary', async () => {
    await using node = await openNode(cluster.primary, [replica], 60_000)
    await waitFor(node, 'ok')
    const save = (total: number, now: number) =>
      saveRecords(cluster.writer, [named(3, 'Ada', total)], { now })
    const scoreOf = async () => {
      const [found] = await node.v3.find([{ id: 3 }], { credentials: false })
      return found && 'passport' in found ? found.passport.scores.total : undefined
    }
    await save(3, NOON + 1)
    await until(async () => (await scoreOf()) === 3)
    cluster.proxy.hang()
    await save(9, NOON + 2)
    expect(await scoreOf()).toBe(3)
    expect(await findDiff({ store: node }, '3', { from: NOON, to: NOON + 3 })).toMatchObject({
      score: [0, 9],
      causes: [{ type: null, delta: 9, cause: 'record' }],
    })
    cluster.proxy.flow()
  })
})

test('a lagging replica is not read, even if a statement on the primary takes too long', async () => {
  await using cluster = await startPrimary()
  await using replica = await startReplica(cluster.primary, cluster.source)
  await using node = await openNode(cluster.primary, [replica], MAX_LAG, 3000)
  await waitFor(node, 'ok')
  cluster.proxy.hang()
  await cluster.writer.passports.remove(1, NOON)
  await waitFor(node, 'lagging')
  await using sql = connect(cluster.primary.url)
  const holder = await sql.reserve()
  await holder`begin`
  await holder`lock table v1_passports in access exclusive mode`
  await expectRefusal(node.data(V1_BODIES).findPassport({ id: 1 }), 'unavailable')
  await holder`rollback`
  holder.release()
  cluster.proxy.flow()
})

test('a statement that fails on an available replica is not repeated on the primary', async () => {
  await using cluster = await startPrimary()
  await using replica = await startReplica(cluster.primary)
  await using node = await openNode(cluster.primary, [replica])
  await waitFor(node, 'ok')
  await using sql = connect(cluster.primary.url)
  await using replicated = connect(replica.url)
  await sql`alter table v1_passports rename to v1_rows`
  await sql`create view v1_passports as select * from v1_rows
    where 1 / (case when pg_is_in_recovery() then 0 else 1 end) = 1`
  await until(
    async () => (await replicated`select from pg_views where viewname = 'v1_passports'`).length === 1,
  )
  await waitFor(node, 'ok')
  await expect(node.data(V1_BODIES).findPassport({ id: 1 })).rejects.toThrow('division by zero')
})

test('a promoted replica is read only while its primary is unavailable', async () => {
  await using cluster = await startPrimary()
  const { primary, writer } = cluster
  await using replica = await startReplica(primary)
  await using node = await openNode(primary, [replica])
  await waitFor(node, 'ok')
  await using sql = connect(replica.url)
  await sql`select pg_promote()`
  await writer.passports.remove(1, NOON)
  await waitFor(node, 'promoted')
  expect(await node.data(V1_BODIES).findPassport({ id: 1 })).toBeUndefined()
  await until(() => node.notices.some((sentence) => sentence.includes('is no longer a replica')))
  await primary.stop()
  await until(async () => (await node.ping()).writes === false)
  expect(await node.data(V1_BODIES).findPassport({ id: 1 })).toMatchObject({ id: 1 })
})

test('with several replicas, reads use one that is available and up to date', async () => {
  await using cluster = await startPrimary()
  const { primary, writer, proxy, source } = cluster
  await using cut = await startReplica(primary, source)
  await using good = await startReplica(primary)
  await using node = await openNode(primary, [cut, good])
  await waitFor(node, 'ok,ok')
  proxy.hang()
  await writer.passports.remove(1, NOON)
  await waitFor(node, 'lagging,ok')
  expect(await node.data(V1_BODIES).findPassport({ id: 1 })).toBeUndefined()
  // Without the primary, the replica with the latest changes is read.
  await primary.kill()
  await until(async () => (await node.ping()).writes === false)
  expect(await node.data(V1_BODIES).findPassport({ id: 1 })).toBeUndefined()
  await good.stop()
  await until(async () => (await statesOf(node)) === 'ok,unavailable')
  // The last replica is outdated, but better than no response.
  expect(await node.data(V1_BODIES).findPassport({ id: 1 })).toMatchObject({ id: 1 })
})
