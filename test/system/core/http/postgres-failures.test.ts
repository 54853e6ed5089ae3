import { expect, test } from 'bun:test'
import { pathsOfFrozen } from '../../../support/frozen/frozen-versions.ts'
import { type Reply, serveTest } from '../../../support/http/server.ts'
import { owning } from '../../../support/owning.ts'
import { connect } from '../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres } from '../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT } from '../../../support/store/open.ts'
import { ada, grace } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const TARGETS = [
  ...['/api/v3/passports/7', '/api/v3/passports', '/api/v3/passports?q=a', '/ready'],
  ...pathsOfFrozen(7),
]

const CONNECTIONS = 4

async function serveBefore(postgres: PostgresServer) {
  const store = await openPostgres(postgres, { connections: CONNECTIONS, ...SERVE_TIMEOUT })
  await saveRecords(store, [ada, grace])
  const service = serveTest(store)
  return owning(service, store, service)
}
type Service = Awaited<ReturnType<typeof serveBefore>>

async function expectAway({ get }: Service): Promise<void> {
  await until(async () => (await get('/ready')).status === 503)
  const replies = await Promise.all(TARGETS.map((target) => get(target)))
  for (const [at, target] of TARGETS.entries()) {
    const { status, headers, body } = replies[at] as Reply
    expect([target, status, body.code]).toEqual([target, 503, 'unavailable'])
    expect(headers.get('Retry-After')).toBe('2')
  }
  expect((await get('/health')).status).toBe(200)
}

async function expectBack({ get }: Service): Promise<void> {
  for (const target of TARGETS) await until(async () => (await get(target)).status === 200)
}

test.each([
  ['stop', 'start'],
  ['kill', 'start'],
  ['freeze', 'thaw'],
] as const)(
  'requests get 503 with Retry-After while PostgreSQL is unavailable (%s), and succeed again without a restart',
  async (how, end) => {
    await using postgres = await startPostgres()
    await using service = await serveBefore(postgres)
    await expectBack(service)
    await postgres[how]()
    try {
      await expectAway(service)
    } finally {
      await postgres[end]()
    }
    await expectBack(service)
  },
)

test('requests in progress when PostgreSQL stops get 503', async () => {
  await using postgres = await startPostgres()
  await using service = await serveBefore(postgres)
  await using sql = connect(postgres.url)
  const holder = await connect(postgres.url).reserve()
  await holder`begin`
  await holder`lock table passports in access exclusive mode`
  const requests = Array.from({ length: 20 }, () => service.get('/api/v3/passports/7'))
  await until(async () => (await sql`select from pg_locks where not granted`).length === CONNECTIONS)
  await postgres.kill()
  for (const { status, body } of await Promise.all(requests)) {
    expect([status, body.code]).toEqual([503, 'unavailable'])
  }
  await postgres.start()
  await expectBack(service)
})
