import { describe, expect, test } from 'bun:test'
import { parseExposition } from '../support/http/prometheus.ts'
import { until } from '../support/processes.ts'
import { startTestService } from '../support/service.ts'
import { saveRecords } from '../support/store/engines.ts'
import { record } from '../support/store/records.ts'

type TestService = Awaited<ReturnType<typeof startTestService>>

async function end({ threads }: TestService, at: number): Promise<void> {
  const count = threads.length
  threads[at]?.terminate()
  await until(() => threads.length > count)
}

const [BACKGROUND, SEARCH, PICTURES, SERVER] = [0, 1, 2, 3]

const statuses = async ({ get }: TestService, path: string) => [
  ...new Set(await Promise.all(Array.from({ length: 40 }, async () => (await get(path)).status))),
]

describe.skipIf(process.platform !== 'linux')('threads of the service', () => {
  test('a search thread that dies is restarted, and searches work again', async () => {
    await using service = await startTestService({ workers: 2 })
    const total = async () => {
      const response = await service.get('/api/v1/passports?keyword=ada')
      return response.status === 200 ? (await response.json()).pagination.total : response.status
    }
    const before = await total()
    expect(before).toBeGreaterThan(0)
    await end(service, SEARCH)
    await until(async () => (await total()) === before)
    expect(await statuses(service, '/api/v1/passports?keyword=ada')).toEqual([200])
    expect(service.messages()).toContain('The search-thread ended; restarting it now.')
  })

  test('a picture thread that dies is restarted, and cards are drawn again', async () => {
    await using service = await startTestService({ workers: 2 })
    const card = async (id: number) => (await service.get(`/card/${id}.png`)).status
    await until(async () => (await card(1)) === 200)
    const pending = Promise.all([2, 3, 4, 5].map(card))
    await end(service, PICTURES)
    expect(new Set([...(await pending), 200, 503])).toEqual(new Set([200, 503]))
    await until(async () => (await card(6)) === 200)
    expect(service.messages()).toContain('The picture-thread ended; restarting it now.')
  })

  test('many different cards at once leave the API responsive', async () => {
    await using service = await startTestService({ workers: 2 })
    await until(async () => (await service.get('/card/1.png')).status === 200)
    const cards = Array.from({ length: 250 }, (_, at) => service.get(`/card/${at + 2}.png`))
    expect(await statuses(service, '/api/v1/passports/42')).toEqual([200])
    expect(await statuses(service, '/')).toEqual([200])
    const responses = await Promise.all(cards)
    const types = responses.map(({ status, headers }) => `${status} ${headers.get('Content-Type')}`)
    expect(new Set(types)).toEqual(new Set(['200 image/png', '503 image/svg+xml; charset=utf-8']))
  })

  test('filtered lists follow changes, also after the search thread has died', async () => {
    await using service = await startTestService({ workers: 2 })
    const total = async () => {
      const response = await service.get('/api/v3/passports?filter=tag:lamplighter')
      return response.status === 200 ? (await response.json()).total : response.status
    }
    expect(await total()).toBe(0)
    await saveRecords(service.store, [record(5000, { profile: { tags: ['Lamplighter'] } })])
    await until(async () => (await total()) === 1)
    await end(service, SEARCH)
    await until(async () => (await total()) === 1)
    await service.store.passports.remove(5000, 0)
    await until(async () => (await total()) === 0)
  })

  test('a server thread that dies is restarted, and the others serve meanwhile', async () => {
    await using service = await startTestService({ workers: 2 })
    const ended = end(service, SERVER)
    // Requests accepted by the dying thread are lost or get 503; later ones go to the other thread.
    const get = async () => (await service.get('/api/v1/passports/42').catch(() => undefined))?.status
    await until(async () => (await get()) === 200)
    await ended
    await until(async () => (await statuses(service, '/api/v1/passports?keyword=ada')).join() === '200')
    expect(service.messages()).toEqual(['The server-thread ended; restarting it now.'])
  })

  test('a background thread that dies is restarted, and changes are scored and listed again', async () => {
    await using service = await startTestService()
    await end(service, BACKGROUND)
    await saveRecords(service.store, [record(5000, { stale: true })])
    await until(async () => (await (await service.get('/api/v1/passports')).json()).pagination.total === 1001)
    await until(async () => {
      const { passport } = await (await service.get('/api/v1/passports/5000')).json()
      return !passport.calculating_score
    })
    expect(service.messages()).toEqual(['The background-thread ended; restarting it now.'])
  })

  test('metrics are summed over threads, and no counter decreases when a thread dies', async () => {
    await using service = await startTestService({ workers: 2, env: { METRICS_PORT: '0' } })
    const listed = async () =>
      parseExposition(await (await fetch(service.metricsUrl as string)).text()).value(
        'passportd_requests_total{route="list",status="200",tier="anonymous"}',
      )
    await statuses(service, '/api/v1/passports')
    await until(async () => (await listed()) === 40)
    await end(service, SERVER)
    expect(await listed()).toBe(40)
    await until(async () => (await statuses(service, '/health')).join() === '200')
    await statuses(service, '/api/v1/passports')
    await until(async () => (await listed()) === 80)
  })
})
