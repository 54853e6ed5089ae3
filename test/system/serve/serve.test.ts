import { expect, test } from 'bun:test'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { COMMAND, MAIN, readUrl, serveProcess, start, takePort } from '../../support/cli.ts'
import { callHere } from '../../support/cli-in-process.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { readProblems } from '../../support/log-lines.ts'
import { findPort } from '../../support/postgres/postgres-process.ts'
import { databaseMaker, withEngine } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'
import { hostileFolder, tempFolder } from '../../support/temp-folder.ts'
import { fillPipe, openUnreadPipe } from '../../support/unread-named-pipe.ts'
import { until } from '../../support/wait-until.ts'

withEngine('sqlite', 'REQUIRE_API_KEY', (makeDatabase) => {
  test('REQUIRE_API_KEY hides the pages of passports unless EXPLORER is on', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    await using closed = await here.listen({ REQUIRE_API_KEY: 'true' })
    for (const path of [
      '/passports/7',
      '/passports/7/score',
      '/badge/7.svg',
      '/card/7.png',
      '/sitemap.xml',
    ]) {
      const answer = await fetch(closed.url + path)
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 404, { code: 'not_found' }])
    }
    const start = await (await fetch(`${closed.url}/`)).text()
    expect(start).toContain('<h1>API reference</h1>')
    expect(start).not.toContain('Lov')
    await using open = await here.listen({ REQUIRE_API_KEY: 'true', EXPLORER: 'on' })
    expect(await (await fetch(`${open.url}/passports/7`)).text()).toContain('Ada Lovélace')
    expect((await fetch(`${open.url}/passports/7/score`)).status).toBe(200)
    expect((await fetch(`${open.url}/api/v3/passports/7`)).status).toBe(401)
  })
})

// These tests run concurrently, because they mostly wait.
test.concurrent('--demo fills its own file once, even if it was killed while filling it, and prints the URLs', async () => {
  using folder = tempFolder()
  const cwd = folder.path
  const child = start(['serve', '--demo'], { cwd, env: { PORT: '0' } })
  const wal = join(cwd, 'data/demo.db-wal')
  await until(() => (statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 1_000_000)
  child.kill('SIGKILL')
  await child.exited

  await using server = await serveProcess(['--demo'], { cwd })
  const { greeting, url } = server
  expect(greeting).toContain('serves 1,000 passports from data/demo.db\n')
  for (const path of ['/', '/api/v3/passports', '/reference/v3', '/health']) {
    expect(greeting).toContain(url + path)
    expect((await fetch(url + path)).status).toBe(200)
  }
  expect(greeting).toContain(`curl '${url}/api/v3/passports?limit=3'`)
  expect(await (await fetch(`${url}/api/v3/passports`)).json()).toMatchObject({ total: 1000 })
})

test.concurrent('the server uses its settings, and an unfinished request does not prevent its shutdown', async () => {
  using folder = tempFolder()
  const env = { DEPRECATED_AT: '2025-06-01', REQUIRE_API_KEY: 'yes' }
  await using server = await serveProcess([], { cwd: folder.path, env })
  expect(server.greeting).toContain('serves 0 passports from data/passportd.db\n')
  expect(server.greeting).not.toContain('Explorer')
  expect((await fetch(`${server.url}/api/v3/passports`)).status).toBe(401)
  expect(await (await fetch(`${server.url}/deprecation`)).text()).toContain('<span>2025-06-01</span>')
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ', resolve))
  server.child.kill('SIGINT')
  expect(await server.child.exited).toBe(0)
  expect(await readProblems(server.child.stderr)).toBe('')
  socket.destroy()
})

test.concurrent('the server responds even if its log is closed', async () => {
  using folder = tempFolder()
  const child = Bun.spawn(['sh', '-c', 'exec "$0" "$1" serve 2>&-', process.execPath, MAIN], {
    cwd: folder.path,
    env: { PORT: '0', LOG_REQUESTS: 'true' },
    stdout: 'pipe',
  })
  const url = await readUrl(child.stdout)
  for (let times = 0; times < 5; times++) expect((await fetch(`${url}/health`)).status).toBe(200)
  child.kill('SIGKILL')
  await child.exited
})

test.concurrent.each(['a full pipe that nobody reads', '/dev/full'])(
  'serve that logs to %s starts, serves and stops',
  async (log) => {
    using folder = tempFolder()
    using pipe = openUnreadPipe(join(folder.path, 'log'))
    fillPipe(join(folder.path, 'log'))
    const output = log === '/dev/full' ? Bun.file(log) : pipe.descriptor
    const port = await findPort()
    const child = Bun.spawn([...COMMAND, 'serve'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? '', PORT: String(port) },
      stdin: 'ignore',
      stdout: output,
      stderr: output,
    })
    try {
      const isHealthy = () => fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => ok)
      await until(() => isHealthy().catch(() => false))
      child.kill('SIGTERM')
      expect(await child.exited).toBe(0)
    } finally {
      child.kill('SIGKILL')
      await child.exited
    }
  },
)

test.concurrent('serve reports a port in use in one sentence, and does not change the active rule set', async () => {
  await using here = await workplace(databaseMaker('sqlite'))
  const inForce = () => here.json('rules', 'list')
  const before = await inForce()
  const { out } = await callHere(['rules', 'show', '--built-in'])
  const RULES = here.path('mine.json')
  writeFileSync(RULES, out.replace(/"version": "[^"]*"/, '"version": "mine"'))
  await using other = takePort()
  const { port } = other
  expect(await callHere(['serve'], { env: { ...here.env, PORT: `${port}`, RULES } })).toEqual({
    out: '',
    err: `passportd: Port ${port} on 127.0.0.1 is in use. Set PORT to another port.\n`,
    code: 1,
  })
  expect(await inForce()).toEqual(before)
})

test.concurrent.each([
  ['', { HOST: '192.0.2.1' }],
  ['METRICS_', { METRICS_HOST: '192.0.2.1', METRICS_PORT: '0' }],
])('a %sHOST that is no address of this machine is reported in one sentence', async (prefix, settings) => {
  await using here = await workplace(databaseMaker('sqlite'))
  const { out, err, code } = await callHere(['serve'], { env: { ...here.env, PORT: '0', ...settings } })
  expect({ out, code }).toEqual({ out: '', code: 1 })
  expect(err).toMatch(/^passportd: Cannot listen on 192\.0\.2\.1, port 0: [^\n]+\.\n$/)
  expect(err).toEndWith(` Set ${prefix}HOST and ${prefix}PORT.\n`)
})

test('serve and its threads run no code of the working directory, and keep no cache of code', async () => {
  using hostile = hostileFolder()
  using home = tempFolder()
  await using server = await serveProcess(['--demo'], { cwd: hostile.path, env: { HOME: home.path } })
  expect((await fetch(`${server.url}/api/v3/passports?q=ada`)).status).toBe(200)
  expect((await fetch(`${server.url}/card/1.png`)).status).toBe(200)
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
  expect(await readProblems(server.child.stderr)).toMatch(
    /^passportd: \.env: no setting, so without effect: BUN_OPTIONS, [\w, ]+\.$/,
  )
  expect(readdirSync(home.path)).toEqual([])
})

test('npm start runs serve --demo, as the README shows', async () => {
  const root = join(import.meta.dir, '../../..')
  const { scripts } = await Bun.file(join(root, 'package.json')).json()
  expect(scripts.start).toBe(`${scripts.passportd} serve --demo`)
  const top = (await Bun.file(join(root, 'README.md')).text()).split('\n').slice(0, 20).join('\n')
  expect(top).toContain('npm install && npm start')
  expect(top).toContain('npm install && npm test')
})
