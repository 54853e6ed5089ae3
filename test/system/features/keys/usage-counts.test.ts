import { Database } from 'bun:sqlite'
import { describe, expect, jest, test } from 'bun:test'
import type { Store } from '../../../../src/core/store/store.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { USAGE } from '../../../support/features/keys.ts'
import { tcpProxy } from '../../../support/http/tcp-proxy.ts'
import { readLines } from '../../../support/log-lines.ts'
import { databaseMaker } from '../../../support/store/engines.ts'
import { record } from '../../../support/store/records.ts'
import { isRefused, until } from '../../../support/wait-until.ts'

const ALL = { since: '0000-01-01', until: '9999-12-31' }

const countIn = async (store: Store) =>
  (await store.data(USAGE).list(ALL)).reduce((sum, { count }) => sum + count, 0)

/** Uses one connection per request, so that every worker gets some requests. */
async function ask(url: string, times: number, headers: Record<string, string> = {}): Promise<void> {
  await Promise.all(
    Array.from({ length: times }, async () => {
      const response = await fetch(`${url}/api/v3/passports`, { headers, keepalive: false })
      await response.text()
    }),
  )
}

const makeDatabase = databaseMaker('sqlite')

// These tests run concurrently, because they mostly wait.
describe.concurrent('usage counts', () => {
  test('a graceful shutdown waits for the write of another process, then stores all usage counts, the last use of each key, and that a page sent it', async () => {
    await using here = await workplace(makeDatabase)
    const key = (await here.call('keys', 'create', '--name', 'a')).out.trim()
    await using server = await here.serve(process.platform === 'linux' ? ['--workers', '2'] : [])
    using other = new Database(here.database)
    other.run('pragma busy_timeout = 10000')
    other.run('begin immediate')
    const begin = Date.now()
    await ask(server.url, 40)
    await ask(server.url, 17, { 'X-API-KEY': key, Origin: 'https://a.example' })
    server.child.kill('SIGTERM')
    await until(() => isRefused(server.url))
    expect(server.child.exitCode).toBeNull()
    other.run('rollback')
    expect(await server.child.exited).toBe(0)
    await using store = await here.open()
    expect((await store.data(USAGE).list(ALL)).map(({ count }) => count)).toEqual([40, 17])
    const [used] = await store.keys.list()
    expect(used?.lastUsedAt).toBeGreaterThanOrEqual(begin)
    expect(used?.isSeenInBrowser).toBe(true)
  })

  test('usage counts are deleted in the background after USAGE_DAYS, and events after HISTORY days', async () => {
    await using here = await workplace(makeDatabase)
    await using store = await here.open()
    const ago = (days: number) => Date.now() - days * 86_400_000
    const days = [0, 20, 40, 400, 4000].map((days) => new Date(ago(days)).toISOString().slice(0, 10))
    const counts = days.map((day) => ({ day, key: '', endpoint: 'list', status: 200, count: 1 }) as const)
    await store.data(USAGE).add(counts, new Map())
    for (const [id, days] of [400, 91, 89].entries()) {
      const options = { now: ago(days), restore: false }
      await store.records.save([{ kind: 'passport', passport: record(id) }], options)
    }
    await using _server = await here.serve([], { USAGE_DAYS: '31', HISTORY: '90' })
    const stored = async () => (await store.data(USAGE).list(ALL)).map(({ day }) => day).toReversed()
    await until(async () => (await stored()).length === 2)
    expect(await stored()).toEqual(days.slice(0, 2))
    await until(async () => (await store.events.log()).first === 3)
    const { knownSince } = await store.events.log()
    expect(knownSince).toBeLessThan(ago(90))
    const { events } = await store.events.list({ after: 0, limit: 9, passport: 2 })
    expect(events).toMatchObject([{ sequence: 3, type: 'passport.added' }])
  })

  test('usage counts stay in memory while PostgreSQL is unavailable, and are stored later', async () => {
    await using here = await workplace(databaseMaker('postgres'))
    const url = new URL(here.env.DATABASE_URL)
    await using proxy = await tcpProxy(Number(url.port))
    url.port = String(proxy.port)
    await using server = await here.serve([], { DATABASE_URL: url.href })
    const log = readLines(server.child.stderr)
    await ask(server.url, 5)
    proxy.refuse()
    await ask(server.url, 10)
    server.child.kill('SIGTERM')
    await until(() => log.some((line) => line.includes('Usage counts cannot be stored yet')))
    proxy.flow()
    expect(await server.child.exited).toBe(0)
    expect(await here.look(countIn)).toBe(15)
  })
})

test('threads report usage counts every ten seconds, so a kill loses at most ten seconds of counts', async () => {
  await using here = await workplace(makeDatabase)
  jest.useFakeTimers()
  await using node = await here.listen({})
  await using store = await here.open()
  await ask(node.url, 30)
  jest.advanceTimersByTime(9_999)
  expect(await countIn(store)).toBe(0)
  jest.advanceTimersByTime(1)
  jest.useRealTimers()
  await until(async () => (await countIn(store)) === 30)
})
