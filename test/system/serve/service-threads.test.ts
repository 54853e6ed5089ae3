import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parseExposition } from '../../support/http/prometheus.ts'
import { FEATURES } from '../../support/program/features.ts'
import { saveRecords } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'
import { startTestService } from '../support/service.ts'

/** The threads of features that servers call start before the index thread. */
const OTHERS = FEATURES.flatMap(({ threads = [] }) => threads).filter(({ client }) => client).length
const [WRITER, SERVER] = [0, 2 + OTHERS]

/** All tests share one service, and each test ends another thread. */
describe.skipIf(process.platform !== 'linux')('threads of the service', () => {
  let service: Awaited<ReturnType<typeof startTestService>>
  beforeAll(async () => {
    const env = { METRICS_PORT: '0', TIERS: 'anonymous=unlimited' }
    service = await startTestService({ workers: 2, env })
  })
  afterAll(() => service[Symbol.asyncDispose]())

  async function end(at: number): Promise<void> {
    const count = service.threads.length
    service.threads[at]?.terminate()
    await until(() => service.threads.length > count)
  }

  const statuses = async (path: string) => [
    ...new Set(await Promise.all(Array.from({ length: 40 }, async () => (await service.get(path)).status))),
  ]

  test('a server thread that dies is restarted, and the other threads serve meanwhile', async () => {
    const listed = async () =>
      parseExposition(await (await fetch(service.metricsUrl as string)).text()).value(
        'passportd_requests_total{route="v3_rules",status="404",tier="anonymous"}',
      )
    const rules = '/api/v3/rules/none'
    await statuses(rules)
    await until(async () => (await listed()) === 40)

    const ended = end(SERVER)
    // Requests accepted by the dying thread are lost or get 503; later ones go to the other thread.
    const get = async () => (await service.get('/api/v3/passports/42').catch(() => undefined))?.status
    await until(async () => (await get()) === 200)
    await ended
    await until(async () => (await statuses('/api/v3/passports?q=a')).join() === '200')

    expect(await listed()).toBe(40)
    await statuses(rules)
    await until(async () => (await listed()) === 80)
  })

  test('a writer thread that dies is restarted, and changes are scored and listed again', async () => {
    await end(WRITER)
    await saveRecords(service.store, [record(5001, { stale: true })])
    await until(async () => (await (await service.get('/api/v3/passports')).json()).total === 61)
    await until(async () => {
      return !(await (await service.get('/api/v3/passports/5001')).json()).calculating_score
    })
    const ofThreads = service.messages().filter((message) => message.includes('-thread '))
    expect(ofThreads).toEqual(
      ['server', 'writer'].map((name) => `The ${name}-thread ended; restarting it now.`),
    )
  })
})

test('an index that cannot be read is logged with the stack of the error, and read again later', async () => {
  await using service = await startTestService()
  const logged = (start: string) => service.messages().find((message) => message.startsWith(start))
  await execute(service.databaseUrl, 'alter table event_log rename column name to gone')
  await until(async () => logged('The index is outdated: SQLiteError') !== undefined)
  expect(logged('The index is outdated')).toContain('listing.ts')
  await execute(service.databaseUrl, 'alter table event_log rename column gone to name')
  await until(async () => logged('No longer: The index is outdated') !== undefined)
})

test('an index that has lost the event log is replaced by that of a new thread, and no list fails', async () => {
  await using service = await startTestService()
  await execute(service.databaseUrl, "update event_log set name = 'abcdef'")
  await saveRecords(service.store, [record(5001)])
  await until(async () => (await (await service.get('/api/v3/passports?limit=1')).json()).total === 61)
  expect(service.messages().filter((message) => message.includes('-thread'))).toEqual([])
})
