import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { MAIN, readUrl, run, serveProcess, takePort } from '../../support/cli.ts'
import { workplace } from '../../support/cli-sandbox.ts'
import { readProblems, until } from '../../support/processes.ts'
import { databaseMaker, withEngine, withEveryEngine } from '../../support/store/engines.ts'
import { named, PEOPLE } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const getJson = async (url: string) => (await fetch(url)).json()

withEveryEngine('serve', (makeDatabase, engine) => {
  test('--demo fills a new database once, also when several servers start, and prints the URLs', async () => {
    await using here = await workplace(makeDatabase, { bare: true })
    const servers = await Promise.all([1, 2].map(() => here.serve(['--demo'])))
    for (const { greeting, url, ...server } of servers) {
      await using _ = server
      expect(greeting).toContain(`serves 1,000 passports from ${here.database}\n`)
      for (const path of ['/api/v3/passports', '/api/v1/passports', '/reference/v3', '/health']) {
        expect(greeting).toContain(url + path)
        expect((await fetch(url + path)).status).toBe(200)
      }
      expect(greeting).toContain(`curl '${url}/api/v1/passports?per_page=3'`)
      expect(await getJson(`${url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1000 } })
    }
  })

  test('a server that is killed starts again without data loss', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    const headers = { 'X-API-KEY': (await here.call('keys', 'create', '--name', 'a')).out.trim() }
    const answers = async (url: string) => {
      const paths = ['passports', 'passports/3', 'passports/7', 'passport_credentials?passport_id=7']
      return Promise.all(
        paths.map(async (path) => (await fetch(`${url}/api/v1/${path}`, { headers })).text()),
      )
    }
    const first = await here.serve()
    let before: string[] = []
    await until(async () => {
      before = await answers(first.url)
      return !before.join().includes('"calculating_score":true')
    })
    first.child.kill('SIGKILL')
    await first.child.exited
    await using second = await here.serve([], { REQUIRE_API_KEY: 'true' })
    expect(await answers(second.url)).toEqual(before)
    if (engine === 'postgres') return
    using database = new Database(here.database, { readonly: true })
    expect(database.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  })
})

withEngine('sqlite', 'serve', (makeDatabase) => {
  test('REQUIRE_API_KEY hides the pages of passports unless EXPLORER is on', async () => {
    await using here = await workplace(makeDatabase, { records: PEOPLE })
    await using closed = await here.serve([], { REQUIRE_API_KEY: 'true' })
    expect(closed.greeting).not.toContain('Explorer')
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
    expect(start).toContain('The V1 passport API')
    expect(start).not.toContain('Lov')
    await using open = await here.serve([], { REQUIRE_API_KEY: 'true', EXPLORER: 'on' })
    expect(open.greeting).toContain(`Explorer   ${open.url}/\n`)
    expect(await (await fetch(`${open.url}/passports/7`)).text()).toContain('Ada Lovélace')
    expect((await fetch(`${open.url}/passports/7/score`)).status).toBe(200)
    expect((await fetch(`${open.url}/api/v1/passports/7`)).status).toBe(401)
  })

  test('--demo does not change a database with passports', async () => {
    await using here = await workplace(makeDatabase, { records: [named(5, 'Mine')] })
    await using server = await here.serve(['--demo'])
    expect(await getJson(`${server.url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1 } })
  })

  test('a server that is killed while filling the database fills it on the next start', async () => {
    await using here = await workplace(makeDatabase, { bare: true })
    const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? -1
    for (const bytes of [0, 1, 1_000_000]) {
      const child = here.start('serve', '--demo')
      await until(() => sizeOf(`${here.database}-wal`) >= bytes)
      child.kill('SIGKILL')
      await child.exited
    }
    await using server = await here.serve(['--demo'])
    expect(await getJson(`${server.url}/api/v1/passports`)).toMatchObject({ pagination: { total: 1000 } })
  })

  test('SIGINT ends the server with exit code 0', async () => {
    await using here = await workplace(makeDatabase)
    await using server = await here.serve()
    server.child.kill('SIGINT')
    expect(await server.child.exited).toBe(0)
    expect(await readProblems(server.child.stderr)).toBe('')
  })
})

describe('serve with the default SQLite files', () => {
  test('--demo uses another file than serve without it', async () => {
    using folder = tempFolder()
    await using demo = await serveProcess(['--demo'], { cwd: folder.path })
    expect(demo.greeting).toContain('serves 1,000 passports from data/demo.db\n')
    await using alone = await serveProcess([], { cwd: folder.path })
    expect(alone.greeting).toContain('serves 0 passports from data/passportd.db\n')
  })
})

// Concurrent: these tests mostly wait.
describe.concurrent('serve, independent of the engine', () => {
  test('an unfinished request does not prevent a shutdown', async () => {
    using folder = tempFolder()
    await using server = await serveProcess([], { cwd: folder.path })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.write('GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ', resolve))
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    socket.destroy()
  })

  test.each([
    ['full', '2> /dev/full'],
    ['closed', '2>&-'],
  ])('a log that is %s does not affect responses', async (_, redirect) => {
    await using here = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
    const child = Bun.spawn(['sh', '-c', `exec "$0" "$1" serve ${redirect}`, process.execPath, MAIN], {
      cwd: here.cwd,
      env: { ...here.env, PORT: '0' },
      stdout: 'pipe',
    })
    const url = await readUrl(child.stdout)
    using database = new Database(here.database)
    database.run('pragma busy_timeout = 10000')
    database.run('alter table v1_passports rename column fields to gone')
    for (let times = 0; times < 3; times++) {
      const response = await fetch(`${url}/api/v1/passports/900`)
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ code: 'internal' })
    }
    expect((await fetch(`${url}/health`)).status).toBe(200)
    child.kill('SIGKILL')
    await child.exited
  })

  test('a port in use is reported in one sentence', async () => {
    using folder = tempFolder()
    await using other = takePort()
    const { port } = other
    for (const workers of ['1', '2']) {
      const env = { PORT: `${port}` }
      const { err, code } = await run(['serve', '--workers', workers], { cwd: folder.path, env })
      expect(code).toBe(1)
      expect(err).toBe(`passportd: Port ${port} on 127.0.0.1 is in use. Set PORT to another port.\n`)
    }
  })

  test('a server that cannot listen does not change the active rule set', async () => {
    using folder = tempFolder()
    await using _server = await serveProcess([], { cwd: folder.path })
    const inForce = () => {
      using database = new Database(join(folder.path, 'data/passportd.db'))
      return database.query("select value from settings where name = 'rules'").get()
    }
    await until(() => inForce() !== null)
    const before = inForce()
    const { out } = await run(['rules', 'show'], { cwd: folder.path })
    writeFileSync(join(folder.path, 'mine.json'), out.replace(/"version": "[^"]*"/, '"version": "mine"'))
    await using other = takePort()
    const env = { PORT: `${other.port}`, RULES: 'mine.json' }
    expect((await run(['serve'], { cwd: folder.path, env })).code).toBe(1)
    expect(inForce()).toEqual(before)
  })

  test('a HOST that is not an address of this machine is reported in one sentence', async () => {
    using folder = tempFolder()
    const { err, code } = await run(['serve'], { cwd: folder.path, env: { HOST: '192.0.2.1', PORT: '0' } })
    expect(code).toBe(1)
    expect(err).toMatch(/^passportd: Cannot listen on 192\.0\.2\.1, port 0: [^\n]+ Set HOST and PORT\.\n$/)
  })

  test('settings reach the server, and unknown settings are logged as warnings', async () => {
    using folder = tempFolder()
    const env = {
      DEPRECATED_AT: '2025-06-01',
      REQUIRE_API_KEY: 'yes',
      PASSPORTD_PORT: '9',
      PASSPORTD_SPEED: 'high',
      'PASSPORTD_\u009b2J': '',
    }
    await using server = await serveProcess([], { cwd: folder.path, env })
    const response = await fetch(`${server.url}/api/v1/passports`)
    expect(response.status).toBe(401)
    expect(response.headers.get('Deprecation')).toBe('@1748736000')
    server.child.kill('SIGTERM')
    const warnings = (await readProblems(server.child.stderr)).split('\n').map((line) => JSON.parse(line))
    expect(warnings).toMatchObject([
      { level: 'warn', message: 'PASSPORTD_PORT is not a setting: use PORT.' },
      {
        level: 'warn',
        message: expect.stringContaining('PASSPORTD_SPEED is not a setting: the settings are PORT, HOST,'),
      },
      // A log entry must not contain control characters.
      {
        level: 'warn',
        message: expect.stringContaining('PASSPORTD_\ufffd2J is not a setting: the settings are'),
      },
    ])
  })
})

test('npm start runs serve --demo, as the README shows', async () => {
  const root = join(import.meta.dir, '../../..')
  const { scripts } = await Bun.file(join(root, 'package.json')).json()
  expect(scripts.start).toBe('exec bun --smol --config=/dev/null --no-env-file src/cli/main.ts serve --demo')
  const top = (await Bun.file(join(root, 'README.md')).text()).split('\n').slice(0, 20).join('\n')
  expect(top).toContain('npm install && npm start')
  expect(top).toContain('npm install && npm test')
})
