import { connect } from 'node:net'
import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/core/store/database-address.ts'
import { openStore } from '../../src/core/store/open.ts'
import { serveProcess } from '../../test/support/cli.ts'
import { readProblems } from '../../test/support/log-lines.ts'
import { testDatabase } from '../../test/support/postgres/postgres.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Fail, Scenario } from '../run-scenario.ts'
import { countUsage } from '../support/database-checks.ts'
import { type Exchange, startClients } from '../support/send-requests.ts'

const TARGETS = [
  '/api/v1/passports/1',
  '/api/v1/passports?keyword=an',
  '/api/v1/passport_credentials?passport_id=2',
  '/api/v1/passports?per_page=250',
  '/api/v1/passports/unknown',
]
const CLIENTS = 12
const SLOW_CLIENTS = 4
const LONGEST_LIFE_MILLISECONDS = 500
const LONGEST_STOP_MILLISECONDS = 12_000

export const drain: Scenario = {
  name: 'drain',
  title: 'SIGTERM under load: every request that was received gets its whole response, and is counted',
  long: 50,
  short: 1,
  async run(times, fail, exceed) {
    using folder = tempFolder()
    const sqlite = { url: `sqlite:${join(folder.path, 'drain.db')}`, received: 0 }
    await using server = times > 2 ? await testDatabase() : undefined
    const databases = server ? [sqlite, { url: server.url, received: 0 }] : [sqlite]
    let slowest = 0
    for (let round = 0; round < times; round++) {
      const database = databases[(round >> 1) % databases.length] as typeof sqlite
      const args = round % 2 === 0 ? [] : ['--workers', '2']
      const failed = (problem: string) => fail(`round ${round}: ${problem}`)
      const stop = await stopUnderLoad(folder.path, database, args, failed)
      if (stop > LONGEST_STOP_MILLISECONDS) exceed(`round ${round}: the stop took ${stop} ms`)
      slowest = Math.max(slowest, stop)
    }
    const requests = databases.reduce((sum, { received }) => sum + received, 0)
    return {
      count: times,
      note: `${requests.toLocaleString('en')} requests, the slowest stop took ${slowest} ms`,
    }
  },
}

/** Returns the milliseconds from SIGTERM to the exit. */
async function stopUnderLoad(
  cwd: string,
  database: { url: string; received: number },
  args: string[],
  fail: Fail,
): Promise<number> {
  const env = { DATABASE_URL: database.url, TIERS: 'anonymous=unlimited' }
  await using server = await serveProcess(['--demo', ...args], { cwd, env })
  const end = new AbortController()
  let isStopping = false
  const sending = startClients(CLIENTS, {
    url: server.url,
    next: () => ({ target: TARGETS[Math.floor(Math.random() * TARGETS.length)] as string }),
    onExchange(exchange: Exchange) {
      const { target } = exchange
      // During the stop, connections may be refused or reset. Usage counts show whether a response was lost.
      if ('error' in exchange) {
        if (!isStopping) fail(`${target}: ${exchange.error.message}`)
        return
      }
      database.received++
      const { status } = exchange.response
      if (status !== (target.endsWith('unknown') ? 404 : 200)) fail(`${target}: ${status}`)
    },
    signal: end.signal,
  })
  await Bun.sleep(Math.random() * LONGEST_LIFE_MILLISECONDS)
  const slow = await Promise.all(Array.from({ length: SLOW_CLIENTS }, () => startSlowClient(server.url)))
  isStopping = true
  const begin = performance.now()
  server.child.kill('SIGTERM')
  for (const { isWhole } of slow) {
    if (await isWhole()) database.received++
    else fail('a slow client did not receive the whole response')
  }
  const code = await server.child.exited
  const duration = Math.round(performance.now() - begin)
  end.abort()
  await sending
  const log = await readProblems(server.child.stderr)
  if (code !== 0 || log !== '') fail(`serve exited with ${code} after ${duration} ms: ${log}`)
  const store = await openStore(parseDatabaseAddress(database.url) as DatabaseAddress)
  const counted = await countUsage(store)
  await store.database.close()
  if (counted !== database.received)
    fail(`${database.received} responses were received, ${counted} requests were counted`)
  database.received = counted
  return duration
}

/** Receives the first bytes of a large response, and reads the rest 300 ms later. */
async function startSlowClient(url: string): Promise<{ isWhole(): Promise<boolean> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const ended = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  let text = ''
  socket.on('error', () => undefined).on('close', () => ended.resolve())
  socket.on('data', (chunk) => {
    if (text === '') {
      socket.pause()
      begun.resolve()
    }
    text += chunk.toString('latin1')
    if (isComplete(text)) ended.resolve()
  })
  socket.write('GET /api/v1/passports?per_page=250 HTTP/1.1\r\nHost: x\r\n\r\n')
  await Promise.race([begun.promise, ended.promise])
  return {
    async isWhole() {
      await Bun.sleep(300)
      socket.resume()
      if (!isComplete(text)) await ended.promise
      socket.destroy()
      return isComplete(text)
    },
  }
}

function isComplete(text: string): boolean {
  const [head = '', body] = text.split(/\r\n\r\n(.*)/s)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  return length !== undefined && body?.length === Number(length)
}
