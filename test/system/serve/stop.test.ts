import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { serveProcess, start } from '../../support/cli.ts'
import { callHere } from '../../support/cli-in-process.ts'
import { openEventStream } from '../../support/http/event-stream.ts'
import { scrape } from '../../support/http/prometheus.ts'
import { listenHere } from '../../support/node-without-threads.ts'
import { socketsOf } from '../../support/process-info.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { isRefused, until } from '../../support/wait-until.ts'

const isLinux = process.platform === 'linux'

/** Creates a key in the database of a server that runs in this folder. */
async function createKey(folder: string, ...options: string[]) {
  const env = { DATABASE_URL: `sqlite:${join(folder, 'data/passportd.db')}` }
  return (await callHere(['keys', 'create', '--name', 'a', ...options], { env })).out.trim()
}

// These tests run concurrently, because they mostly wait.
describe.concurrent('a server that is stopped', () => {
  test('a stopped server completes a request in progress, then exits', async () => {
    using folder = tempFolder()
    await using server = await serveProcess([], { cwd: folder.path, env: { METRICS_PORT: '0' } })
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
    const response = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(`${chunk}`)))
    const key = await createKey(folder.path)
    const headers = `Host: x\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: 14`
    socket.write(`POST /api/v3/lookup HTTP/1.1\r\n${headers}\r\n\r\n{"keys":`)
    await until(async () => (await scrape(server)).value('passportd_requests_in_progress') === 1)
    server.child.kill('SIGTERM')
    await until(() => isRefused(server.url))
    socket.end('["1"]}')
    expect(await response).toStartWith('HTTP/1.1 200 ')
    expect(await server.child.exited).toBe(0)
  })

  test('a stopped server ends the event streams of all workers, and leaves no WAL', async () => {
    using folder = tempFolder()
    const workers = isLinux ? 2 : 1
    await using server = await serveProcess(['--workers', `${workers}`], { cwd: folder.path })
    const { pid } = server.child
    if (isLinux) {
      expect(server.greeting).toContain('\n  Workers    2\n')
      const sockets = socketsOf([pid], Number(new URL(server.url).port), 'LISTEN')
      expect(sockets).toEqual(new Map([[pid, 2]]))
    }
    const path = join(folder.path, 'data/passportd.db')
    const options = { key: await createKey(folder.path, '--scope', 'events'), query: '?after=latest' }
    const streams = await Promise.all(Array.from({ length: 6 }, () => openEventStream(server.url, options)))
    // The search thread has its own connection to the database.
    expect((await fetch(`${server.url}/api/v3/passports?filter=human:true`)).status).toBe(200)
    server.child.kill('SIGTERM')
    await Promise.all(streams.map(({ ended }) => ended))
    expect(streams.map(({ response }) => response.status)).toEqual([200, 200, 200, 200, 200, 200])
    expect(await server.child.exited).toBe(0)
    expect([existsSync(path), existsSync(`${path}-wal`)]).toEqual([true, false])
  })

  test('a server that is stopping exits at once after a second signal', async () => {
    using folder = tempFolder()
    await using server = await serveProcess([], { cwd: folder.path })
    await (await fetch(`${server.url}/api/v3/passports`)).text()
    // Usage counts that cannot be stored delay the shutdown.
    using other = new Database(join(folder.path, 'data/passportd.db'))
    other.run('pragma busy_timeout = 10000')
    other.run('begin immediate')
    server.child.kill('SIGTERM')
    // A second signal right after the first counts as a duplicate.
    server.child.kill('SIGTERM')
    await until(() => isRefused(server.url))
    expect(server.child.exitCode).toBeNull()
    await until(() => {
      server.child.kill('SIGTERM')
      return server.child.exitCode !== null || server.child.signalCode !== null
    })
    expect(server.child.signalCode).toBe('SIGTERM')
  })
})

test.concurrent.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends a process that is still starting',
  async (signal) => {
    using folder = tempFolder()
    const child = start(['serve'], { cwd: folder.path, env: { PORT: '0' } })
    await until(async () => Bun.file(join(folder.path, 'data/passportd.db')).exists())
    child.kill(signal)
    await child.exited
    expect([0, null]).toContain(child.exitCode)
  },
)

/** A client that sends all requests on one connection. */
function openConnection(port: number) {
  const closed = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let onResponse: (() => void) | undefined
  socket.on('data', (chunk) => {
    received += chunk
    if (received.endsWith('{"status":"ok"}')) onResponse?.()
  })
  socket.on('error', () => undefined).on('close', () => closed.resolve(received))
  return {
    closed: closed.promise,
    request(): Promise<string> {
      received = ''
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
      const answered = new Promise<string>((resolve) => {
        onResponse = () => resolve(received)
      })
      return Promise.race([answered, closed.promise])
    },
  }
}

test('a server that is stopping closes a connection after its next response, and closes idle connections', async () => {
  using folder = tempFolder()
  await using node = await listenHere({ DATABASE_URL: `sqlite:${join(folder.path, 'drain.db')}` })
  const [client, idle] = [1, 2].map(() => openConnection(Number(new URL(node.url).port)))
  expect(await client?.request()).not.toContain('\r\nConnection: close\r\n')
  const last = await idle?.request()
  const drained = node.drain()
  // The request is sent before Bun can close the connection.
  const response = await client?.request()
  expect(response).toStartWith('HTTP/1.1 200 ')
  expect(response).toContain('\r\nConnection: close\r\n')
  expect(await client?.closed).toBe(response as string)
  await drained
  expect(await idle?.closed).toBe(last as string)
})
