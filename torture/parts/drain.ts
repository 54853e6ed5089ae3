import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/domain/database-address.ts'
import { openStore } from '../../src/store/open.ts'
import { serveProcess } from '../../test/support/cli.ts'
import { testDatabase } from '../../test/support/postgres.ts'
import { tempFolder } from '../../test/support/temp.ts'
import { call, callSlowly } from '../callers.ts'
import type { Part } from '../part.ts'

const TARGETS = [
  '/api/v1/passports/1',
  '/api/v1/passports?keyword=an',
  '/api/v1/passport_credentials?passport_id=2',
  '/api/v1/passports?per_page=250',
  '/api/v1/passports/nobody',
]
const CALLERS = 12
const LONGEST_MILLISECONDS = 500

/** SIGTERM at a random moment of a server's life under load, on both engines, alone and with workers. */
export const drain: Part = {
  name: 'drain',
  what: 'SIGTERM under load: every request that has begun is answered whole, and counted',
  long: 50,
  short: 2,
  async run(times, tell) {
    using folder = tempFolder()
    const files = { url: `sqlite:${join(folder.path, 'drain.db')}`, count: 0 }
    await using server = times > 2 ? await testDatabase() : undefined
    const databases = server ? [files, { url: server.url, count: 0 }] : [files]
    let lost = 0
    let answered = 0
    for (let round = 0; round < times; round++) {
      const database = databases[(round >> 1) % databases.length] as typeof files
      const losses = await stopUnderLoad(folder.path, database, round % 2 === 0 ? [] : ['--workers', '2'])
      for (const loss of losses) tell(`${round}: ${loss}`)
      lost += losses.length
    }
    for (const { count } of databases) answered += count
    return { count: times, lost, note: `${answered.toLocaleString('en')} requests` }
  },
}

/** Counts the answers, and tells what was lost. */
async function stopUnderLoad(cwd: string, database: { url: string; count: number }, args: string[]) {
  const env = { DATABASE_URL: database.url, TIERS: 'anonymous=unlimited' }
  await using server = await serveProcess(['--demo', ...args], { cwd, env })
  const losses: string[] = []
  const end = new AbortController()
  const options = {
    port: Number(new URL(server.url).port),
    next: () => ({ target: TARGETS[Math.floor(Math.random() * TARGETS.length)] as string }),
    onAnswer({ status, target }: { status: number; target: string }) {
      database.count++
      if (status !== (target.endsWith('nobody') ? 404 : 200)) losses.push(`${target}: ${status}`)
    },
    onFailure: ({ target, reason }: { target: string; reason: string }) =>
      losses.push(`${target}: ${reason}`),
    mayBeRefused: true,
    end: end.signal,
  }
  const callers = Array.from({ length: CALLERS }, (_, at) => call(options, at % 2 === 0))
  await Bun.sleep(Math.random() * LONGEST_MILLISECONDS)
  const slow = await Promise.all(Array.from({ length: 4 }, () => callSlowly(options)))
  server.child.kill('SIGTERM')
  const code = await server.child.exited
  end.abort()
  await Promise.all([...callers, ...slow.map(({ answered }) => answered)])
  const log = await new Response(server.child.stderr).text()
  if (code !== 0 || log !== '') losses.push(`it ended with ${code} and said: ${log}`)
  const counted = await countUsage(database.url)
  if (counted !== database.count) losses.push(`${database.count} requests were answered, ${counted} counted`)
  database.count = counted
  return losses
}

async function countUsage(url: string): Promise<number> {
  const store = await openStore(parseDatabaseAddress(url) as DatabaseAddress)
  const counts = await store.usage.list({ since: '2000-01-01', until: '9999-12-31' })
  await store.close()
  return counts.reduce((sum, { count }) => sum + count, 0)
}
