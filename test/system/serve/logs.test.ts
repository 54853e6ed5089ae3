import { Database } from 'bun:sqlite'
import { expect, jest, test } from 'bun:test'
import { closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createErrorLog, type Fields } from '../../../src/core/basics/log.ts'
import { truncateAddress } from '../../../src/serve/request-listener.ts'
import { serveProcess } from '../../support/cli.ts'
import { callHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { NO_PLAN, PLAN } from '../../support/features/retire.ts'
import { readLines } from '../../support/log-lines.ts'
import { VERSION } from '../../support/program/commands.ts'
import { databaseMaker, saveRecords } from '../../support/store/engines.ts'
import { openSqlite } from '../../support/store/open.ts'
import { NOON, named } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { until } from '../../support/wait-until.ts'

// These tests run concurrently, because they mostly wait.
test.concurrent('LOG_REQUESTS=true logs one entry per request, with the name of its route', async () => {
  await using here = await workplace(databaseMaker('sqlite'), { records: [named(42, 'Ada')] })
  await using server = await here.listen({ LOG_REQUESTS: 'true', TRUST_PROXY: '127.0.0.1' })
  const key = (await here.call('keys', 'create', '--name', 'a')).out.trim()
  await fetch(`${server.url}/api/v3/passports/42`, {
    headers: { 'X-API-KEY': key, 'X-Request-Id': 'mine', 'X-Forwarded-For': '203.0.113.77' },
  })
  await fetch(`${server.url}/api/v3/passports/0?select=score`, {
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
  const passport = { ...common, route: 'v3_passport' }
  const known = { tier: 'standard', address: '203.0.113.0' }
  await until(() => server.lines.length === 3)
  expect(server.lines.map((line) => JSON.parse(line))).toEqual([
    { ...passport, request_id: 'mine', method: 'GET', status: 200, key: key.split('_')[1], ...known },
    { ...passport, method: 'HEAD', status: 404, tier: 'anonymous', address: '2001:db8:1::/48' },
    { ...common, method: 'GET', route: 'health', status: 200, tier: 'none', address: '127.0.0.0' },
  ])
})

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test.each([
  [`00-${TRACE}-${PARENT}-01`, TRACE],
  // A later version may have further parts.
  [`cc-${TRACE}-${PARENT}-01-later`, TRACE],
  [`00-${TRACE}-${PARENT}-01-later`, undefined],
  [`ff-${TRACE}-${PARENT}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${PARENT}-01`, undefined],
  [`00-${'0'.repeat(32)}-${PARENT}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE}-${PARENT}`, undefined],
  [`00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, undefined],
  ['"\\x1b[31m', undefined],
])('a request with the traceparent %s is logged with the trace id %s', async (traceparent, id) => {
  await using here = await workplace(databaseMaker('sqlite'))
  await using server = await here.listen({ LOG_REQUESTS: 'true' })
  await fetch(`${server.url}/health`, { headers: { traceparent } })
  await until(() => server.lines.length === 1)
  expect(JSON.parse(server.lines[0] ?? '').trace_id).toBe(id)
})

test('the entry of a server error has the trace id of its request, and LOG_LEVEL=warn omits the entries of requests', async () => {
  await using here = await workplace(databaseMaker('sqlite'))
  await using server = await here.listen({ LOG_REQUESTS: 'true', LOG_LEVEL: 'warn' })
  using database = new Database(here.database)
  database.run('alter table passports rename column verified_wallets to gone')
  const response = await fetch(`${server.url}/api/v3/passports/1`, {
    headers: { traceparent: `00-${TRACE}-${PARENT}-00` },
  })
  expect(response.status).toBe(500)
  await until(() => server.lines.length > 0)
  expect(server.lines.map((line) => JSON.parse(line))).toMatchObject([
    {
      level: 'error',
      trace_id: TRACE,
      request_id: response.headers.get('x-request-id'),
      route: 'v3_passport',
    },
  ])
})

test('serve with LOG_LEVEL=error logs neither its start nor its stop, but still prints its greeting', async () => {
  await using here = await workplace(databaseMaker('sqlite'))
  await using server = await here.serve([], { LOG_LEVEL: 'error' })
  expect(server.greeting).toContain('passportd')
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
  expect(await new Response(server.child.stderr).text()).toBe('')
})

test.concurrent('start, stop, an ignored SIGHUP and the removal of V1 are logged, and a failing background job is logged once with its stack', async () => {
  await using here = await workplace(databaseMaker('sqlite'))
  await using server = await here.serve()
  const log = readLines(server.child.stderr)
  const isLogged = (text: string) => log.some((line) => line.includes(text))
  server.child.kill('SIGHUP')
  await until(() => isLogged('SIGHUP was ignored'))
  await here.look((store) => store.data(PLAN).save({ ...NO_PLAN, sunsetAt: NOON }))
  await until(() => isLogged('V1 is removed'))
  using database = new Database(here.database)
  database.run('pragma busy_timeout = 10000')
  database.run('alter table event_log rename to gone')
  await until(() => isLogged('The index is outdated: '))
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
  await until(() => isLogged('Stopped.'))
  const start = { version: VERSION, url: server.url, database: here.database, passports: 0, workers: 1 }
  const failure = expect.stringMatching(/: no such table: event_log\n {4}at .*readChanges.*\.ts/s)
  // The last failure is logged again when the job ends. On a slow machine, other jobs meet the renamed table.
  const entries = new Map(log.map((line) => [JSON.parse(line).message, JSON.parse(line)]))
  const isOfOther = ({ message }: { message: string }) =>
    /^(The database file could|Scoring failed)/.test(message)
  expect([...entries.values()].filter((entry) => !isOfOther(entry))).toMatchObject([
    { message: 'Started.', ...start },
    { level: 'warn', message: 'SIGHUP was ignored: TLS_CERT and TLS_KEY are not set.' },
    { message: 'V1 is removed: it responds 410.' },
    { level: 'error', message: failure },
    { message: 'Stopping: requests in progress are completed.' },
    { message: 'Stopped.' },
  ])
})

/** A database without a WAL file, which a test can damage while a server runs. */
async function filled() {
  const folder = tempFolder()
  const path = join(folder.path, 'x.db')
  const store = await openSqlite(path)
  await saveRecords(
    store,
    Array.from({ length: 2000 }, (_, id) => named(id, `Person ${id}`)),
  )
  await store.database.close()
  return {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${path}` },
    /** Overwrites the file in place, because truncating a mapped file would end the process. */
    ruin() {
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(statSync(path).size - 8192, 0xff), 0, undefined, 8192)
      closeSync(file)
      truncateSync(`${path}-wal`)
    },
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

test.concurrent('no key, query, path or complete address is logged, even for failed requests', async () => {
  using database = await filled()
  const { cwd, env } = database
  const settings = { ...env, LOG_REQUESTS: 'true', TRUST_PROXY: '127.0.0.1' }
  await using server = await serveProcess([], { cwd, env: settings })
  const log = readLines(server.child.stderr)
  const key = (await callHere(['keys', 'create', '--name', 'a'], { env })).out.trim()
  const wrong = `ppd_0123456789_${'e'.repeat(64)}`
  const wallet = `0xfeed${'0'.repeat(36)}`
  let asked = 0
  async function askAll(id: number): Promise<void> {
    for (const secret of [key, wrong]) {
      for (const target of [
        '/api/v3/passports',
        `/api/v3/passports/${id}`,
        `/api/v3/passports?api_key=${secret}&q=quizzical`,
        `/api/v3/passports/${secret}`,
        `/api/v3/passports/${wallet}`,
        `/api/v3/${secret}`,
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
  await until(() => log.filter((line) => line.includes('"message":"request"')).length >= asked)
  // The first entry is left out, because it has the address of the server.
  const text = log.slice(1).join('\n')
  const entries = log.map((line) => JSON.parse(line))
  // Only the first of many equal errors is logged, so the test does not know its route.
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

test('a repeated error is logged once, then once a minute with the number of repeats, even if two errors alternate', () => {
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

test('an unknown address is logged as an empty text', () => {
  expect(['', 'unix'].map(truncateAddress)).toEqual(['', ''])
})
