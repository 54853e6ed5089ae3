import { expect, test } from 'bun:test'
import { serveProcess } from '../../../../support/cli.ts'
import { startLoad } from '../../../../support/http/load.ts'
import { tcpProxy } from '../../../../support/http/tcp-proxy.ts'
import { readLines } from '../../../../support/log-lines.ts'
import { type PostgresServer, startPostgres, startReplica } from '../../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../../support/store/engines.ts'
import { openStore } from '../../../../support/store/open.ts'
import { NOON, named, PEOPLE } from '../../../../support/store/records.ts'
import { tempFolder } from '../../../../support/temp-folder.ts'
import { until } from '../../../../support/wait-until.ts'

/** Nodes cache list pages: they serve an unchanged list without a database. */
const LIST_PAGE = '/api/v1/passports?per_page=2&page=2'

const TARGETS = [
  '/api/v1/passports/7',
  '/api/v1/passports/900',
  LIST_PAGE,
  '/api/v1/passports?keyword=person%201',
  '/api/v1/passport_credentials?passport_id=7',
]

// These tests run concurrently, because they mostly wait.
test.concurrent('a node responds correctly while primary and replica stop and start', async () => {
  await using primary = await startPostgres()
  await using seed = await openStore({ engine: 'postgres', url: primary.url })
  await saveRecords(seed, [
    ...PEOPLE.map((person) => ({ ...person, stale: false })),
    ...Array.from({ length: 20 }, (_, at) => named(1000 + at, `Person ${at}`)),
  ])
  await using replica = await startReplica(primary)
  using folder = tempFolder()
  const env = {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    TIERS: 'anonymous=unlimited',
  }
  await using node = await serveProcess([], { cwd: folder.path, env })

  const right = new Map<string, string>()
  for (const target of TARGETS) right.set(target, await (await fetch(node.url + target)).text())

  const ready = (expected: unknown) =>
    until(
      async () => {
        const response = await fetch(`${node.url}/ready`)
        return Bun.deepEquals(response.status === 200 ? await response.json() : response.status, expected)
      },
      `/ready to be ${JSON.stringify(expected)}`,
    )

  let [turn, isOutage] = [0, false]
  async function ask(): Promise<number> {
    const target = TARGETS[turn++ % TARGETS.length] as string
    const wasOutage = isOutage
    const response = await fetch(node.url + target)
    const text = await response.text()
    const isRight =
      response.status === 200
        ? text === right.get(target)
        : response.status === 503 && response.headers.get('Retry-After') === '2' && (wasOutage || isOutage)
    if (!isRight) throw new Error(`${response.status} ${target} ${text}`)
    return 200
  }
  const load = startLoad(ask, 2)
  const during = async (change: () => unknown, expected: unknown) => {
    await change()
    await ready(expected)
    // Waits for enough responses to have used every connection and target.
    const count = load.sent()
    await until(() => load.sent() > count + 40, 'more answers')
    for (const target of TARGETS.filter((each) => each !== LIST_PAGE)) {
      const { status } = await fetch(node.url + target)
      expect([target, status]).toEqual([target, expected === 503 ? 503 : 200])
    }
  }
  const WELL = { status: 'ready', writes: 'ok', replica: 'ok' }
  const NO_PRIMARY = { ...WELL, writes: 'unavailable' }
  const NO_REPLICA = { ...WELL, replica: 'unavailable' }
  const each: [PostgresServer, object][] = [
    [primary, NO_PRIMARY],
    [replica, NO_REPLICA],
  ]
  await ready(WELL)
  for (const [server, expected] of each) {
    await during(() => server.stop(), expected)
    await during(() => server.start(), WELL)
    await during(() => server.kill(), expected)
    await during(() => server.start(), WELL)
  }
  // A node notices a frozen server after five seconds.
  await during(() => primary.freeze(), NO_PRIMARY)
  isOutage = true
  await during(() => replica.freeze(), 503)
  await during(() => primary.thaw(), NO_REPLICA)
  await during(() => replica.thaw(), WELL)
  await during(() => Promise.all([replica.stop(), primary.stop()]), 503)
  await during(() => Promise.all([primary.start(), replica.start()]), WELL)
  expect(await load.end()).toEqual([])
})

test.concurrent('a node reports a replica whose replication is cut, and serves no removed passport', async () => {
  await using primary = await startPostgres()
  await using writer = await openStore({ engine: 'postgres', url: primary.url })
  await saveRecords(writer, PEOPLE)
  await using proxy = await tcpProxy(primary.port)
  await using replica = await startReplica(
    primary,
    primary.url.replace(`:${primary.port}/`, `:${proxy.port}/`),
  )
  using folder = tempFolder()
  const env = {
    DATABASE_URL: primary.url,
    DATABASE_READ_URL: replica.url,
    REPLICA_MAX_LAG: '1',
    METRICS_PORT: '0',
  }
  await using node = await serveProcess([], { cwd: folder.path, env })
  const log = readLines(node.child.stderr)
  const state = async () => (await (await fetch(`${node.url}/ready`)).json()).replica
  await until(async () => (await state()) === 'ok')

  proxy.hang()
  await writer.passports.remove(7, NOON)
  await until(async () => (await state()) === 'lagging')
  expect((await fetch(`${node.url}/api/v1/passports/7`)).status).toBe(404)
  const lag = /^passportd_replica_lag_seconds\{replica="[^"]+"\} ([\d.]+)$/m
  await until(async () => Number(lag.exec(await (await fetch(node.metricsUrl)).text())?.[1]) > 1)
  await until(() => log.some((line) => /behind its primary: other servers are used for reads/.test(line)))
})
