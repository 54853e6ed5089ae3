import { expect, test } from 'bun:test'
import { expectGolden } from '../../../support/http/golden.ts'
import { type Reply, serveTest } from '../../../support/http/server.ts'
import { owning } from '../../../support/owning.ts'
import { connect } from '../../../support/postgres/connection-urls.ts'
import { type PostgresServer, startPostgres } from '../../../support/postgres/postgres.ts'
import { saveRecords } from '../../../support/store/engines.ts'
import { openPostgres, SERVE_TIMEOUT } from '../../../support/store/open.ts'
import { ada, grace } from '../../../support/store/records.ts'
import { until } from '../../../support/wait-until.ts'

const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }
const TARGETS = [
  '/api/v1/passports/7',
  '/api/v1/passports',
  '/api/v1/passports?keyword=a',
  '/api/v1/passport_credentials?passport_id=7',
  '/ready',
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
  const replies = await Promise.all(TARGETS.map((target) => get(target, GOLDEN)))
  for (const [at, target] of TARGETS.entries()) {
    const { status, headers, text } = replies[at] as Reply
    expect([target, status]).toEqual([target, 503])
    expect(headers.get('Retry-After')).toBe('2')
    expectGolden('error-503', text)
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
  const requests = Array.from({ length: 20 }, () => service.get('/api/v1/passports/7', GOLDEN))
  await until(async () => (await sql`select from pg_locks where not granted`).length === CONNECTIONS)
  await postgres.kill()
  for (const { status, text } of await Promise.all(requests)) {
    expect(status).toBe(503)
    expectGolden('error-503', text)
  }
  await postgres.start()
  await expectBack(service)
})
