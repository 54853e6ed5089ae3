import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { truncateSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { readUrl, run, serveProcess } from '../support/cli.ts'
import { saveRecords } from '../support/engines.ts'
import { named } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const getJson = async (url: string) => (await fetch(url)).json()

test('serve --demo fills an empty database and says where to look', async () => {
  using folder = tempFolder()
  await using server = await serveProcess(['--demo'], { cwd: folder.path })
  expect(server.greeting).toContain('serves 1,000 passports from data/demo.db')
  for (const path of ['/api/v1/passports', '/reference', '/health']) {
    expect(server.greeting).toContain(server.url + path)
    expect((await fetch(server.url + path)).status).toBe(200)
  }
  expect(server.greeting).toContain(`curl '${server.url}/api/v1/passports?per_page=3'`)
  expect(await getJson(`${server.url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1000 } })
})

test('serve alone starts empty, in a file of its own', async () => {
  using folder = tempFolder()
  await using server = await serveProcess([], { cwd: folder.path })
  expect(server.greeting).toContain('serves 0 passports from data/passportd.db')
})

test('serve --demo leaves people alone who are there already', async () => {
  using folder = tempFolder()
  const store = openSqlite(join(folder.path, 'mine.db'))
  await saveRecords(store, [named(5, 'Mine')])
  await store.close()
  await using server = await serveProcess(['--demo'], {
    cwd: folder.path,
    env: { DATABASE_URL: 'sqlite:mine.db' },
  })
  expect(await getJson(`${server.url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1 } })
})

test('many servers can start at once on an empty database', async () => {
  using folder = tempFolder()
  const servers = await Promise.all(
    Array.from({ length: 6 }, () => serveProcess(['--demo'], { cwd: folder.path })),
  )
  for (const server of servers) {
    expect(await getJson(`${server.url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1000 } })
    await server[Symbol.asyncDispose]()
  }
}, 30_000)

test('a server that is killed starts again with nothing lost', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const answers = async (url: string) =>
    Promise.all(
      [1, 2, 3, 4].map((page) =>
        fetch(`${url}/api/v1/passports?per_page=250&page=${page}`).then((r) => r.text()),
      ),
    )
  const first = await serveProcess(['--demo'], { cwd })
  const { out } = await run(['keys', 'create', '--demo', '--name', 'a'], { cwd })
  const before = await answers(first.url)
  first.child.kill('SIGKILL')
  await first.child.exited
  await using second = await serveProcess(['--demo'], { cwd })
  expect(await answers(second.url)).toEqual(before)
  expect(
    (await fetch(`${second.url}/api/v1/passports`, { headers: { 'X-API-KEY': out.trim() } })).status,
  ).toBe(200)
  const database = new Database(join(cwd, 'data/demo.db'), { readonly: true })
  expect(database.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  database.close()
})

test('a server killed while it fills its database fills it on the next start', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  for (const delay of [20, 60, 100, 140]) {
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, '../../src/cli/main.ts'), 'serve', '--demo'],
      {
        cwd,
        env: { PORT: '0' },
        stdout: 'ignore',
      },
    )
    await Bun.sleep(delay)
    child.kill('SIGKILL')
    await child.exited
  }
  await using server = await serveProcess(['--demo'], { cwd })
  expect(await getJson(`${server.url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1000 } })
})

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it well', async (signal) => {
  using folder = tempFolder()
  await using server = await serveProcess([], { cwd: folder.path })
  server.child.kill(signal)
  expect(await server.child.exited).toBe(0)
  expect(await new Response(server.child.stderr).text()).toBe('')
})

test('a request that never ends does not keep it', async () => {
  using folder = tempFolder()
  await using server = await serveProcess([], { cwd: folder.path })
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ', resolve))
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
  socket.destroy()
}, 15_000)

test.each([
  ['full', '2> /dev/full'],
  ['closed', '2>&-'],
])('a log that is %s costs no answer', async (_, redirect) => {
  using folder = tempFolder()
  const cwd = folder.path
  await using first = await serveProcess(['--demo'], { cwd })
  first.child.kill('SIGTERM')
  await first.child.exited
  const main = join(import.meta.dir, '../../src/cli/main.ts')
  const child = Bun.spawn(['sh', '-c', `exec "$0" "$1" serve --demo ${redirect}`, process.execPath, main], {
    cwd,
    env: { PORT: '0' },
    stdout: 'pipe',
  })
  const url = await readUrl(child.stdout)
  truncateSync(join(cwd, 'data/demo.db'), 8192)
  for (let times = 0; times < 3; times++) {
    const response = await fetch(`${url}/api/v1/passports/900`)
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'unavailable' })
  }
  expect((await fetch(`${url}/health`)).status).toBe(200)
  child.kill('SIGKILL')
  await child.exited
})

test('a port in use is one clear sentence', async () => {
  using folder = tempFolder()
  await using server = await serveProcess([], { cwd: folder.path })
  const { port } = new URL(server.url)
  const { err, code } = await run(['serve'], { cwd: folder.path, env: { PORT: port } })
  expect(code).toBe(1)
  expect(err).toBe(`passportd: Port ${port} on 127.0.0.1 is in use: set PORT to another one.\n`)
})

test('an address that is not of this machine is one clear sentence', async () => {
  using folder = tempFolder()
  const { err, code } = await run(['serve'], { cwd: folder.path, env: { HOST: '192.0.2.1', PORT: '0' } })
  expect(code).toBe(1)
  expect(err).toMatch(/^passportd: Cannot listen on 192\.0\.2\.1, port 0: [^\n]+ Set HOST and PORT\.\n$/)
})

test('settings reach the server; those it does not know are warned about', async () => {
  using folder = tempFolder()
  const env = {
    DEPRECATED_AT: '2025-06-01',
    REQUIRE_API_KEY: 'yes',
    PASSPORTD_PORT: '9',
    PASSPORTD_SPEED: 'high',
  }
  await using server = await serveProcess([], { cwd: folder.path, env })
  const response = await fetch(`${server.url}/api/v1/passports`)
  expect(response.status).toBe(401)
  expect(response.headers.get('Deprecation')).toBe('@1748736000')
  server.child.kill('SIGTERM')
  const warnings = (await new Response(server.child.stderr).text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(warnings).toMatchObject([
    { level: 'warn', message: 'PASSPORTD_PORT is not read: use PORT.' },
    {
      level: 'warn',
      message: expect.stringContaining('PASSPORTD_SPEED is not read: the settings are PORT, HOST,'),
    },
  ])
})

test('npm start is serve --demo, and the README shows it on top', async () => {
  const root = join(import.meta.dir, '../..')
  const { scripts } = await Bun.file(join(root, 'package.json')).json()
  expect(scripts.start).toBe('exec bun src/cli/main.ts serve --demo')
  const top = (await Bun.file(join(root, 'README.md')).text()).split('\n').slice(0, 20).join('\n')
  expect(top).toContain('npm install && npm start')
  expect(top).toContain('npm install && npm test')
})
