import { describe, expect, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { parseWorkers } from '../../src/cli/commands/serve.ts'
import { UsageError } from '../../src/cli/usage.ts'
import { run, serveProcess } from '../support/cli.ts'
import { LATEST_NEWS_MILLISECONDS, withEveryEngine } from '../support/engines.ts'
import { childrenOf, isAlive, socketsOf, timeUntil, until } from '../support/processes.ts'
import { tempFolder } from '../support/temp.ts'
import { workplace } from '../support/workplace.ts'

type Options = Parameters<typeof serveProcess>[1] & { count?: number }

async function serveWorkers({ count = 2, ...options }: Options) {
  const server = await serveProcess(['--workers', String(count)], options)
  const port = Number(new URL(server.url).port)
  const workers = () => childrenOf(server.child.pid)
  return { ...server, port, workers, listening: () => [...socketsOf(workers(), port, 'LISTEN').keys()] }
}

/** Each over a connection of its own, so that they do not all go to one worker. */
const statuses = async (url: string, headers: Record<string, string> = {}) => [
  ...new Set(
    await Promise.all(
      Array.from({ length: 40 }, async () => (await fetch(url, { headers, keepalive: false })).status),
    ),
  ),
]

/** Runs in every process before the program does, and breaks the workers in a folder. */
function sabotageWorkers(folder: string, script: string): void {
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./sabotage.ts"]\n')
  writeFileSync(join(folder, 'sabotage.ts'), `if (process.argv.includes('--worker')) {\n${script}\n}\n`)
}

const isLinux = process.platform === 'linux'

withEveryEngine('serve --workers', (makeDatabase, engine) => {
  describe.skipIf(!isLinux)('on Linux', () => {
    test('a revoked key is refused by all of them, soon', async () => {
      await using here = await workplace(makeDatabase)
      const { cwd, env } = here
      await using server = await serveWorkers({ cwd, env: { ...env, REQUIRE_API_KEY: 'true' } })
      const key = (await here.run('keys', 'create', '--name', 'a')).out.trim()
      const ask = async () => (await statuses(`${server.url}/api/v1/passports`, { 'X-API-KEY': key })).join()
      expect(await ask()).toBe('200')
      expect((await here.run('keys', 'revoke', key)).code).toBe(0)
      expect(await timeUntil(async () => (await ask()) === '401')).toBeLessThanOrEqual(
        LATEST_NEWS_MILLISECONDS[engine],
      )
    })

    test('a worker that is killed is replaced, and the service goes on', async () => {
      await using here = await workplace(makeDatabase)
      await using server = await serveWorkers(here)
      const [killed, other] = server.listening() as [number, number]
      process.kill(killed, 'SIGKILL')
      await until(() => server.listening().length === 2 && !server.listening().includes(killed))
      expect(server.listening()).toContain(other)
      expect(await statuses(`${server.url}/api/v1/passports`)).toEqual([200])
      server.child.kill('SIGTERM')
      expect(await server.child.exited).toBe(0)
      const entries = (await new Response(server.child.stderr).text()).trim().split('\n')
      expect(entries.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'error', message: 'A worker is replaced at once: it ended with SIGKILL.', pid: killed },
      ])
    })

    test('SIGTERM lets a request under way finish, and leaves no worker', async () => {
      await using here = await workplace(makeDatabase)
      await using server = await serveWorkers(here)
      const workers = server.workers()
      const { socket, answer } = await beginRequest(server.port)
      await until(() => socketsOf(workers, server.port, 'ESTABLISHED').size === 1)
      server.child.kill('SIGTERM')
      await until(() => socketsOf(workers, server.port, 'LISTEN').size === 0)
      socket.write('\r\n')
      expect(await answer).toStartWith('HTTP/1.1 200 OK')
      expect(await server.child.exited).toBe(0)
      expect(await new Response(server.child.stderr).text()).toBe('')
      expect(workers.filter(isAlive)).toEqual([])
    })

    test('workers end when their parent is killed, and leave nothing behind', async () => {
      await using here = await workplace(makeDatabase)
      using temporary = tempFolder()
      await using server = await serveWorkers({ ...here, env: { ...here.env, TMPDIR: temporary.path } })
      const workers = server.workers()
      server.child.kill('SIGKILL')
      await until(() => !workers.some(isAlive))
      expect(workers).toHaveLength(2)
      expect(readdirSync(temporary.path)).toEqual([])
    })
  })
})

describe.skipIf(!isLinux)('serve --workers, whatever the database', () => {
  test('every worker listens and gets connections; the greeting tells how many there are', async () => {
    using folder = tempFolder()
    await using server = await serveWorkers({ cwd: folder.path, count: 3 })
    expect(server.greeting).toContain('\n  Workers    3\n')
    expect(server.workers()).toHaveLength(3)
    expect(server.listening().sort()).toEqual(server.workers().sort())

    const sockets = Array.from({ length: 60 }, () => connect(server.port, '127.0.0.1'))
    const held = () => [...socketsOf(server.workers(), server.port, 'ESTABLISHED').values()]
    await until(() => held().reduce((sum, count) => sum + count, 0) === sockets.length)
    expect(held()).toHaveLength(3)
    for (const socket of sockets) socket.destroy()
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('%s to the whole group ends it well', async (signal) => {
    using folder = tempFolder()
    await using server = await serveWorkers({ cwd: folder.path })
    const workers = server.workers()
    for (const pid of [...workers, server.child.pid]) process.kill(pid, signal)
    expect(await server.child.exited).toBe(0)
    expect(await new Response(server.child.stderr).text()).toBe('')
    expect(workers.filter(isAlive)).toEqual([])
  })

  test('one worker is one process, as without the option', async () => {
    using folder = tempFolder()
    await using server = await serveWorkers({ cwd: folder.path, count: 1 })
    expect(server.greeting).not.toContain('Workers')
    expect(server.workers()).toEqual([])
    expect(socketsOf([server.child.pid], server.port, 'LISTEN').size).toBe(1)
  })

  test('a port in use is refused, also where workers are on it', async () => {
    using folder = tempFolder()
    const cwd = folder.path
    await using server = await serveWorkers({ cwd })
    const { port } = server
    for (const workers of ['1', '2']) {
      expect(await run(['serve', '--workers', workers], { cwd, env: { PORT: String(port) } })).toEqual({
        out: '',
        err: `passportd: Port ${port} on 127.0.0.1 is in use: set PORT to another one.\n`,
        code: 1,
      })
    }
  })

  test.each([
    [
      'tells why',
      "process.env.RULES = 'nowhere.json'",
      /^passportd: A worker could not start: nowhere\.json cannot be read as a rule set: [^\n]+\n$/,
    ],
    [
      'ends without a word',
      'process.exit(3)',
      /^passportd: A worker could not start: it ended with exit code 3\.\n$/,
    ],
  ])('where a worker cannot start and %s, none is left', async (_, script, sentence) => {
    using folder = tempFolder()
    const mark = join(folder.path, 'pids')
    sabotageWorkers(
      folder.path,
      `require('node:fs').appendFileSync(${JSON.stringify(mark)}, process.pid + '\\n')\n${script}`,
    )
    const { out, err, code } = await run(['serve', '--workers', '2'], {
      cwd: folder.path,
      env: { PORT: '0', TMPDIR: folder.path },
    })
    expect({ out, code }).toEqual({ out: '', code: 1 })
    expect(err).toMatch(sentence)
    expect(readdirSync(folder.path).filter((name) => name.startsWith('passportd-'))).toEqual([])
    const pids = (await Bun.file(mark).text()).trim().split('\n').map(Number)
    expect(pids).toHaveLength(2)
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('workers that end again and again are replaced ever later, and the others serve meanwhile', async () => {
    using folder = tempFolder()
    sabotageWorkers(folder.path, "if (require('node:fs').existsSync('broken')) process.exit(3)")
    await using server = await serveWorkers({ cwd: folder.path })
    writeFileSync(join(folder.path, 'broken'), '')
    const [killed] = server.listening() as [number, number]
    process.kill(killed, 'SIGKILL')
    let log = ''
    const decoder = new TextDecoder()
    for await (const chunk of server.child.stderr) {
      log += decoder.decode(chunk, { stream: true })
      // Until the first successor fails, some wait for it.
      if (log.split('\n').length > 2) expect(await statuses(`${server.url}/health`)).toEqual([200])
      if (log.split('\n').length > 4) break
    }
    const times = log
      .trim()
      .split('\n')
      .map((line) => Date.parse(JSON.parse(line).time))
    const [, second, third, fourth] = times as [number, number, number, number]
    expect(log).toContain('A worker is replaced in 0.2 s: it ended with exit code 3.')
    expect(third - second).toBeGreaterThanOrEqual(100)
    expect(fourth - third).toBeGreaterThanOrEqual(200)
    rmSync(join(folder.path, 'broken'))
    await until(() => server.listening().length === 2)
  })
})

/** A request that lacks its last line. */
async function beginRequest(port: number): Promise<{ socket: Socket; answer: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  const answer = new Promise<string>((resolve, reject) => {
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('close', () => resolve(text))
    socket.on('error', reject)
  })
  await new Promise((resolve) =>
    socket.write('GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n', resolve),
  )
  return { socket, answer }
}

test.each(['0', '65', '-1', '1.5', 'two', '', '007', ' 2'])('"%s" is no number of workers', (text) => {
  const sentence = `--workers must be a whole number from 1 to 64, got "${text}".`
  expect(() => parseWorkers(text, 'linux')).toThrow(new UsageError(sentence))
})

test('only Linux shares connections between workers', () => {
  expect(parseWorkers('64', 'linux')).toBe(64)
  expect(parseWorkers('1', 'darwin')).toBe(1)
  expect(() => parseWorkers('2', 'darwin')).toThrow('--workers 2 needs Linux')
})
