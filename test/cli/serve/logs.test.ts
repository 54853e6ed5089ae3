import { Database } from 'bun:sqlite'
import { expect, jest, test } from 'bun:test'
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { NO_PLAN } from '../../../src/domain/retirement.ts'
import type { Fields } from '../../../src/log.ts'
import { createErrorLog } from '../../../src/log.ts'
import { truncateAddress } from '../../../src/serve/request-listener.ts'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import { VERSION } from '../../../src/version.ts'
import { serveProcess } from '../../support/cli.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { readLines, until } from '../../support/processes.ts'
import { databaseMaker, saveRecords } from '../../support/store/engines.ts'
import { named } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { callHere } from '../../support/terminal.ts'

async function entriesOf(child: { kill(signal: 'SIGTERM'): void; stderr: ReadableStream<Uint8Array> }) {
  child.kill('SIGTERM')
  const text = await new Response(child.stderr).text()
  return {
    text,
    entries: text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  }
}

// Concurrent: these tests mostly wait.
test.concurrent('LOG_REQUESTS=true logs one entry per request, by route', async () => {
  await using here = await workplace(databaseMaker('sqlite'), { records: [named(42, 'Ada')] })
  await using server = await here.listen({ LOG_REQUESTS: 'true', TRUST_PROXY: '127.0.0.1' })
  const key = (await here.call('keys', 'create', '--name', 'a')).out.trim()
  await fetch(`${server.url}/api/v1/passports/42`, {
    headers: { 'X-API-KEY': key, 'X-Request-Id': 'mine', 'X-Forwarded-For': '203.0.113.77' },
  })
  await fetch(`${server.url}/api/v1/passports/0?page=1`, {
    method: 'HEAD',
    headers: { 'X-Forwarded-For': '2001:db8:1:2:3:4:5:6' },
  })
  await fetch(`${server.url}/health`)
  const common = {
    time: expect.any(String),
    level: 'info',
    message: 'request',
    request_id: expect.any(String),
    milliseconds: expect.any(Number),
  }
  const passport = { ...common, route: 'passport' }
  const known = { tier: 'standard', address: '203.0.113.0' }
  await until(() => server.lines.length === 3)
  expect(server.lines.map((line) => JSON.parse(line))).toEqual([
    { ...passport, request_id: 'mine', method: 'GET', status: 200, key: key.split('_')[1], ...known },
    { ...passport, method: 'HEAD', status: 404, tier: 'anonymous', address: '2001:db8:1::/48' },
    { ...common, method: 'GET', route: 'health', status: 200, tier: 'none', address: '127.0.0.0' },
  ])
})

test.concurrent('the log reports start, stop, an ignored SIGHUP, changes of the retirement plan, brownouts, and the removal and return of V1', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'test.db')
  const store = openSqlite(path)
  await using server = await serveProcess([], {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${path}` },
  })
  const log = readLines(server.child.stderr)
  const isLogged = (text: string) => log.some((line) => line.includes(text))
  server.child.kill('SIGHUP')
  await until(() => isLogged('SIGHUP was ignored'))
  const brownout = { start: Date.now(), end: Date.now() + 3_600_000 }
  await store.retirement.save({ brownouts: [brownout], exempt: [] })
  await until(() => isLogged('A brownout of V1 began'))
  await store.retirement.save({ brownouts: [], exempt: [] })
  await until(() => isLogged('The brownout of V1 ended.'))
  const sunsetAt = Date.now()
  await store.retirement.save({ sunsetAt, successor: 'https://example.com/v2', brownouts: [], exempt: ['a'] })
  await until(() => isLogged('V1 is removed'))
  await store.retirement.save(NO_PLAN)
  await until(() => isLogged('V1 is no longer removed'))
  await store.close()
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
  await until(() => isLogged('Stopped.'))
  const changed = 'The retirement plan was changed.'
  const until410 = new Date(brownout.end).toISOString()
  expect(log.map((line) => JSON.parse(line))).toMatchObject([
    { message: 'Started.', version: VERSION, url: server.url, database: path, passports: 0, workers: 1 },
    { level: 'warn', message: 'SIGHUP was ignored: TLS_CERT and TLS_KEY are not set.' },
    { message: changed, sunset: 'none', brownouts: 1, exempt: 0 },
    { message: `A brownout of V1 began: it responds 410 until ${until410}.` },
    { message: changed, sunset: 'none', brownouts: 0, exempt: 0 },
    { message: 'The brownout of V1 ended.' },
    {
      message: changed,
      sunset: new Date(sunsetAt).toISOString(),
      successor: 'https://example.com/v2',
      brownouts: 0,
      exempt: 1,
    },
    { message: 'V1 is removed: it responds 410.' },
    { message: changed, sunset: 'none', brownouts: 0, exempt: 0 },
    { message: 'V1 is no longer removed: it responds again.' },
    { message: 'Stopping: requests in progress are completed.' },
    { message: 'Stopped.' },
  ])
})

test.concurrent('an unexpected failure of a background job is logged once, with its stack', async () => {
  using folder = tempFolder()
  const path = join(folder.path, 'test.db')
  await openSqlite(path).close()
  await using server = await serveProcess([], { cwd: folder.path, env: { DATABASE_URL: `sqlite:${path}` } })
  const log = readLines(server.child.stderr)
  using database = new Database(path)
  database.run('pragma busy_timeout = 10000')
  const failures = () =>
    log.map((line) => JSON.parse(line).message).filter((text) => text.startsWith('The ranking is outdated: '))
  database.run('alter table ranking rename to gone')
  await until(() => failures().length > 0)
  expect(failures()).toEqual([expect.stringMatching(/no such table: ranking\n {4}at .*listing\.ts/s)])
})

/** A database without a WAL file, which a test can damage while a server runs. */
async function filled() {
  const folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = openSqlite(path)
  await saveRecords(
    store,
    Array.from({ length: 2000 }, (_, id) => named(id, `Person ${id}`)),
  )
  await store.close()
  return {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${path}` },
    /** Overwrites the file: truncating a mapped file would end the process. */
    ruin() {
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(statSync(path).size - 8192, 0xff), 0, undefined, 8192)
      closeSync(file)
      truncateSync(`${path}-wal`)
    },
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

test.concurrent('no key, query, path or whole address is logged, also for failed requests', async () => {
  using database = await filled()
  const { cwd, env } = database
  const settings = { ...env, LOG_REQUESTS: 'true', TRUST_PROXY: '127.0.0.1' }
  await using server = await serveProcess([], { cwd, env: settings })
  const key = (await callHere(['keys', 'create', '--name', 'a'], { env })).out.trim()
  const wrong = `ppd_0123456789_${'e'.repeat(64)}`
  const wallet = `0xfeed${'0'.repeat(36)}`
  let asked = 0
  async function askAll(id: number): Promise<void> {
    for (const secret of [key, wrong]) {
      for (const target of [
        '/api/v1/passports',
        `/api/v1/passports/${id}`,
        `/api/v1/passports?api_key=${secret}&keyword=quizzical`,
        `/api/v1/passports/${secret}`,
        `/api/v1/passports/${wallet}`,
        `/api/v1/${secret}`,
        `/${secret}?key=${secret}`,
        '/ready',
      ]) {
        const headers = {
          'X-API-KEY': secret,
          'X-Request-Id': secret,
          'X-Forwarded-For': '198.51.100.213, 2001:db8:77:88:99:aa:bb:cc',
          Authorization: `Bearer ${secret}`,
        }
        for (const init of [{ headers }, {}]) {
          await fetch(server.url + target, init)
          asked++
        }
      }
    }
  }
  await askAll(1)
  database.ruin()
  await askAll(1990)
  await askRaw(server.url, `${key} /health HTTP/1.1\r\nHost: ${key}\r\nConnection: close\r\n\r\n`)
  const { text: all, entries } = await entriesOf(server.child)
  // The first entry has the address of the server.
  const text = all.slice(all.indexOf('\n'))
  expect(entries.filter(({ message }) => message === 'request').length).toBeGreaterThanOrEqual(asked)
  // Only the first of many equal errors is logged: it may be that of a list page.
  expect(entries.some(({ level, route }) => level === 'error' && route !== undefined)).toBe(true)
  expect(entries.some(({ status }) => status === 503)).toBe(true)
  for (const secret of [key, wrong]) expect(text).not.toContain(secret.split('_')[2] as string)
  for (const private_ of [wallet, 'quizzical', '198.51.100.213', '127.0.0.1', ':88', 'aa:bb:cc', '/api/']) {
    expect(text).not.toContain(private_)
  }
})

async function askRaw(url: string, text: string): Promise<void> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await new Promise((resolve) => {
    socket.on('close', resolve).on('error', resolve)
    socket.resume()
    socket.write(text)
  })
}

function collect() {
  const lines: [string, Fields][] = []
  const log = createErrorLog({ error: (message, fields = {}) => void lines.push([message, fields]) })
  return { lines, ...log }
}

test('repeated errors are logged once, then once a minute with their number, also if two alternate', () => {
  jest.useFakeTimers()
  const { lines, error, end } = collect()
  for (let at = 1; at <= 100; at++) for (const message of ['away', 'down']) error(message, { at })
  expect(lines).toEqual(['away', 'down'].map((message) => [message, { at: 1 }]))
  jest.advanceTimersByTime(60_000)
  expect(lines.slice(2)).toEqual(['away', 'down'].map((message) => [message, { at: 100, left_out: 98 }]))
  error('away', { at: 101 })
  jest.useRealTimers()
  end()
  expect(lines.slice(4)).toEqual([['away', { at: 101 }]])
})

test('the number of different logged errors is bounded', () => {
  const { lines, error, end } = collect()
  for (let at = 1; at <= 1000; at++) error(`error ${at}`)
  expect(lines).toHaveLength(21)
  end()
  expect(lines.at(-1)).toEqual([expect.stringContaining('Further errors'), { left_out: 978 }])
})

test.each([
  ['203.0.113.77', '203.0.113.0'],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['', ''],
  ['unix', ''],
])('the address %s is logged as "%s"', (address, shown) => {
  expect(truncateAddress(address)).toBe(shown)
})
