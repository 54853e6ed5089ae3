import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DEFAULT_RULES } from '../../src/scoring/rules.ts'
import { serveProcess, start } from '../support/cli.ts'
import { childrenOf, isAlive, socketsOf, until } from '../support/processes.ts'
import { tempFolder } from '../support/temp.ts'

const { stamp: _, ...RULES } = DEFAULT_RULES
const REQUEST = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** A caller, with all that it got when its connection has ended. */
function dial(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const answer = new Promise<string>((resolve) => {
    socket.on('error', ({ message }) => resolve(message))
    socket.on('close', () => resolve(received))
  })
  return { answer, sent: new Promise((resolve) => socket.write(text, resolve)) }
}

async function serveIn(cwd: string, args: string[], env: Record<string, string> = {}) {
  const server = await serveProcess(args, { cwd, env })
  let log = ''
  const reading = (async () => {
    for await (const chunk of server.child.stderr) log += new TextDecoder().decode(chunk)
  })()
  return {
    ...server,
    port: Number(new URL(server.url).port),
    workers: () => childrenOf(server.child.pid),
    log: () => log,
    whole: () => reading.then(() => log),
  }
}

describe.skipIf(process.platform !== 'linux')('serve, stopped', () => {
  test.each([
    ['alone', []],
    ['with workers', ['--workers', '2']],
  ])('%s: whoever is connected gets an answer, accepted or not', async (_, args) => {
    using folder = tempFolder()
    await using server = await serveIn(folder.path, args)
    const all = [server.child.pid, ...server.workers()]
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    const callers = Array.from({ length: 20 }, () => dial(server.port, REQUEST))
    await Promise.all(callers.map(({ sent }) => sent))
    server.child.kill('SIGTERM')
    for (const pid of all) process.kill(pid, 'SIGCONT')
    for (const { answer } of callers) expect(await answer).toStartWith('HTTP/1.1 200 OK')
    expect(await server.child.exited).toBe(0)
  })

  test.each([
    ['alone', []],
    ['with workers', ['--workers', '2']],
  ])('%s: asked again, it does not wait for anybody', async (_, args) => {
    using folder = tempFolder()
    await using server = await serveIn(folder.path, args)
    const workers = server.workers()
    await dial(server.port, 'GET /health HTTP/1.1\r\n').sent
    await until(() => socketsOf([server.child.pid, ...workers], server.port, 'ESTABLISHED').size > 0)
    server.child.kill('SIGTERM')
    // Those that follow the first at once are its echo.
    server.child.kill('SIGTERM')
    await until(() => socketsOf([server.child.pid, ...workers], server.port, 'LISTEN').size === 0)
    expect(server.child.exitCode).toBeNull()
    const begin = performance.now()
    while (isAlive(server.child.pid)) {
      server.child.kill('SIGTERM')
      await Bun.sleep(20)
    }
    await server.child.exited
    await until(() => !workers.some(isAlive))
    expect(performance.now() - begin).toBeLessThan(3000)
    expect(server.child.signalCode).toBe('SIGTERM')
  })
})

describe.skipIf(process.platform !== 'linux')('serve, restarted by SIGHUP', () => {
  test('asked for before it has started, it starts all the same', async () => {
    using folder = tempFolder()
    const starting = start(['serve', '--workers', '2'], { cwd: folder.path, env: { PORT: '0' } })
    await until(() => childrenOf(starting.pid).length > 0)
    starting.kill('SIGHUP')
    let log = ''
    for await (const chunk of starting.stderr) {
      log += new TextDecoder().decode(chunk)
      if (log.includes('All workers have been replaced.')) starting.kill('SIGTERM')
    }
    expect(log).toContain('All workers have been replaced.')
    expect(await starting.exited).toBe(0)
  })

  test('workers are replaced one after the other, and read the rules anew, if they will do', async () => {
    using folder = tempFolder()
    const rules = join(folder.path, 'rules.json')
    const write = (version: string) => writeFileSync(rules, JSON.stringify({ ...RULES, version }))
    write('Rules A')
    await using server = await serveIn(folder.path, ['--demo', '--workers', '2'], { RULES: rules })
    const explained = async () => (await fetch(`${server.url}/passports/1/score`)).text()
    expect(await explained()).toContain('Rules A')
    const before = server.workers()
    const fewest: number[] = []
    const watch = setInterval(() => fewest.push(socketsOf(server.workers(), server.port, 'LISTEN').size), 50)

    writeFileSync(rules, '{}')
    server.child.kill('SIGHUP')
    await until(() => server.log().includes('The workers stay as they are: RULES names'))
    expect(server.workers()).toEqual(before)

    write('Rules B')
    server.child.kill('SIGHUP')
    await until(() => server.log().includes('All workers have been replaced.'))
    clearInterval(watch)
    expect(server.workers().filter((pid) => before.includes(pid))).toEqual([])
    expect(server.workers()).toHaveLength(2)
    expect(Math.min(...fewest)).toBe(2)
    expect(await explained()).toContain('Rules B')
    server.child.kill('SIGTERM')
    expect(await server.child.exited).toBe(0)
    expect(await server.whole()).not.toContain('A worker is replaced')
  })

  test('where there are no workers it changes nothing', async () => {
    using folder = tempFolder()
    await using server = await serveIn(folder.path, [])
    server.child.kill('SIGHUP')
    await until(() => server.log().includes('SIGHUP is for workers'))
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })

  test('a worker that cannot start leaves the old ones in their places', async () => {
    using folder = tempFolder()
    writeFileSync(join(folder.path, 'bunfig.toml'), 'preload = ["./sabotage.ts"]\n')
    writeFileSync(join(folder.path, 'sabotage.ts'), '')
    await using server = await serveIn(folder.path, ['--workers', '2'])
    const before = server.workers()
    writeFileSync(join(folder.path, 'sabotage.ts'), 'process.exit(3)')
    server.child.kill('SIGHUP')
    await until(() => server.log().includes('A new worker could not start, the old one stays: it ended with'))
    expect(server.workers()).toEqual(before)
    expect(await (await fetch(`${server.url}/health`)).status).toBe(200)
  })
})

test.skipIf(process.platform !== 'linux')(
  'a worker that hangs is replaced, and keeps nobody waiting',
  async () => {
    using folder = tempFolder()
    await using server = await serveIn(folder.path, ['--workers', '2'])
    const [hanging, other] = server.workers() as [number, number]
    process.kill(hanging, 'SIGSTOP')
    await until(() => server.log().includes('A worker is replaced at once: it did nothing any more.'))
    await until(() => server.workers().length === 2)
    expect(server.workers()).not.toContain(hanging)
    expect(server.workers()).toContain(other)
    const callers = Array.from({ length: 20 }, () => dial(server.port, REQUEST).answer)
    for (const answer of await Promise.all(callers)) expect(answer).toStartWith('HTTP/1.1 200 OK')
  },
  // It has ten seconds before it is held to hang.
  60_000,
)
