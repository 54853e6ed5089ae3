import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { openStore } from '../../../src/store/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { serveProcess } from '../../support/cli.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { startPostgres } from '../../support/postgres/postgres.ts'
import { readProblems, until } from '../../support/processes.ts'
import { databaseMaker } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const ALL = { since: '0000-01-01', until: '9999-12-31' }

const countIn = async (store: Store) =>
  (await store.usage.list(ALL)).reduce((sum, { count }) => sum + count, 0)

/** One connection per request, so that all workers get some. */
async function ask(url: string, times: number, headers: Record<string, string> = {}): Promise<void> {
  await Promise.all(
    Array.from({ length: times }, async () => {
      const response = await fetch(`${url}/api/v1/passports`, { headers, keepalive: false })
      await response.text()
    }),
  )
}

const makeDatabase = databaseMaker('sqlite')

// Concurrent: two tests wait for the periodic write of the counts.
describe.concurrent('counts', () => {
  test('counts of all threads are stored at a graceful shutdown, with the last use of keys', async () => {
    await using here = await workplace(makeDatabase)
    const key = (await here.call('keys', 'create', '--name', 'a')).out.trim()
    await using server = await here.serve(process.platform === 'linux' ? ['--workers', '2'] : [])
    const begin = Date.now()
    await ask(server.url, 40)
    await ask(server.url, 17, { 'X-API-KEY': key })
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    expect(await readProblems(server.child.stderr)).toBe('')
    await using store = await here.open()
    expect((await store.usage.list(ALL)).map(({ count }) => count)).toEqual([40, 17])
    expect((await store.keys.list())[0]?.lastUsedAt).toBeGreaterThanOrEqual(begin)
  })

  test('counts are deleted in the background after USAGE_DAYS, and events after HISTORY days', async () => {
    await using here = await workplace(makeDatabase)
    await using store = await here.open()
    const ago = (days: number) => Date.now() - days * 86_400_000
    const days = [0, 20, 40, 400, 4000].map((days) => new Date(ago(days)).toISOString().slice(0, 10))
    const counts = days.map((day) => ({ day, key: '', endpoint: 'list', status: 200, count: 1 }) as const)
    await store.usage.add(counts, new Map())
    for (const [id, days] of [400, 91, 89].entries()) {
      const options = { now: ago(days), restore: false }
      await store.records.save([{ kind: 'passport', passport: record(id) }], options)
    }
    await using _server = await here.serve([], { USAGE_DAYS: '31', HISTORY: '90' })
    const stored = async () => (await store.usage.list(ALL)).map(({ day }) => day).toReversed()
    await until(async () => (await stored()).length === 2)
    expect(await stored()).toEqual(days.slice(0, 2))
    await until(async () => (await store.events.log()).first === 3)
    const { knownSince } = await store.events.log()
    expect(knownSince).toBeLessThan(ago(90))
    const { events } = await store.events.list({ after: 0, limit: 9, passport: 2 })
    expect(events).toMatchObject([{ sequence: 3, type: 'passport.added' }])
  })

  test('counts are stored after another process has finished its write, and no request waits', async () => {
    await using here = await workplace(makeDatabase)
    const key = (await here.call('keys', 'create', '--name', 'a')).out.trim()
    await using server = await here.serve()
    await ask(server.url, 1)
    using other = new Database(here.env.DATABASE_URL.replace('sqlite:', ''))
    other.run('pragma busy_timeout = 10000')
    other.run('begin immediate')
    await ask(server.url, 50, { 'X-API-KEY': key })
    server.child.kill('SIGTERM')
    await until(async () =>
      fetch(`${server.url}/health`).then(
        () => false,
        () => true,
      ),
    )
    expect(server.child.exitCode).toBeNull()
    other.run('rollback')
    expect(await server.child.exited).toBe(0)
    expect(await here.look(countIn)).toBe(51)
  })

  test('counts survive a kill: at most the last ten seconds are lost', async () => {
    await using here = await workplace(makeDatabase)
    await using server = await here.serve()
    await using store = await here.open()
    await ask(server.url, 30)
    await until(async () => (await countIn(store)) === 30)
    await ask(server.url, 12)
    server.child.kill('SIGKILL')
    await server.child.exited
    const kept = await countIn(store)
    expect(kept).toBeGreaterThanOrEqual(30)
    expect(kept).toBeLessThanOrEqual(42)
  })

  test('counts wait while PostgreSQL is unavailable', async () => {
    await using postgres = await startPostgres()
    using folder = tempFolder()
    await using server = await serveProcess([], { cwd: folder.path, env: { DATABASE_URL: postgres.url } })
    await ask(server.url, 5)
    await postgres.stop()
    await ask(server.url, 10)
    let log = ''
    for await (const chunk of server.child.stderr) {
      log += new TextDecoder().decode(chunk)
      if (log.includes('Usage counts cannot be stored yet')) break
    }
    await ask(server.url, 20)
    await postgres.start()
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    const store = await openStore({ engine: 'postgres', url: postgres.url })
    expect(await countIn(store)).toBe(35)
    await store.close()
  })
})
