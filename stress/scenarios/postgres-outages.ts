import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openStore } from '../../src/core/store/open.ts'
import { run, serveProcess } from '../../test/support/cli.ts'
import { tcpProxy } from '../../test/support/http/tcp-proxy.ts'
import { change } from '../../test/support/postgres/connection-urls.ts'
import { startPostgres } from '../../test/support/postgres/postgres.ts'
import { isAlive } from '../../test/support/process-info.ts'
import { saveRecords } from '../../test/support/store/engines.ts'
import { INVENTED, linesOf } from '../../test/support/store/json-lines.ts'
import { ada, named } from '../../test/support/store/records.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { until } from '../../test/support/wait-until.ts'
import type { Scenario } from '../run-scenario.ts'
import { FAULTS } from '../support/postgres-faults.ts'
import { startReaders, type Target } from '../support/postgres-readers.ts'
import { statusOf } from '../support/process-status.ts'

/** Records that the imports do not change. */
const FIXED = [
  { ...ada, stale: false },
  ...Array.from({ length: 30 }, (_, at) => named(10_000_000 + at, `Watched ${at}`, 5000 - at)),
]

const wholeBody = (body: unknown) => body
const TARGETS: readonly Target[] = [
  { path: '/api/v1/passports/7', fixed: wholeBody },
  { path: `/api/v1/passports/${ada.mainWallet}`, fixed: wholeBody },
  { path: '/api/v1/passport_credentials?passport_id=7', fixed: wholeBody },
  {
    path: '/api/v1/passports?per_page=10&page=2',
    fixed: ({ passports }) => passports,
  },
  { path: '/api/v1/passports?keyword=watched&per_page=5', fixed: wholeBody },
]

/** Enough people that the import is still running when the fault happens. */
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 2) ?? [] }))
const fileOfRound = (round: number) => `${round}.jsonl`

/** If memory grows by more than this after the first pass through all faults, it is a leak. */
const MOST_GROWTH_MEGABYTES = 100

type Options = Parameters<typeof run>[1]

export const postgres: Scenario = {
  name: 'postgres',
  title:
    'PostgreSQL stopped, killed, frozen, locked, out of connections, disconnected or hanging, under load and during import and scoring',
  long: 16,
  short: 1,
  async run(times, fail, exceed) {
    const isShort = times === 1
    const people = isShort ? PEOPLE.slice(0, 500) : PEOPLE
    await using server = await startPostgres({ settings: { max_connections: 100 } })
    await using proxy = await tcpProxy(server.port)
    await using sql = new SQL(server.url, { max: 1 })
    using folder = tempFolder()
    const url = change(server.url, (url) => {
      url.port = String(proxy.port)
    })
    await fill({ engine: 'postgres', url })
    const options = { cwd: folder.path, env: { DATABASE_URL: url, TIERS: 'anonymous=unlimited' } }
    await using nodes = new AsyncDisposableStack()
    const serve = async (...args: string[]) => nodes.use(await serveProcess(args, options))
    const served = isShort ? [await serve()] : [await serve(), await serve('--workers', '2')]
    const pids = served.map(({ child }) => child.pid)
    const urls = served.map(({ url }) => url)

    let fault = 'before the first fault'
    const failNow = (what: string) => fail(`${fault}: ${what}`)
    const reading = await startReaders(urls, TARGETS, { fail: failNow, exceed })
    const memory: number[] = []
    let resumed = 0
    for (let round = 0; round < times; round++) {
      const { name, begin } = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number]
      fault = name
      writeFileSync(join(folder.path, fileOfRound(round)), linesOf(people, round + 1))
      const importing = run(['import', fileOfRound(round)], options)
      await Bun.sleep((isShort ? 200 : 300) + (isShort ? 200 : 500) * Math.random())
      const end = await begin({ server, proxy, sql })
      await Bun.sleep(isShort ? 100 : 2000)
      await end()
      const first = await importing
      if (first.code !== 0) resumed++
      if (first.code !== 0 && !isSentence(first.err)) failNow(`the import printed ${first.err}`)
      await untilAvailable(urls)
      const second = await run(['import', fileOfRound(round)], options)
      if (second.code !== 0) failNow(`the repeated import printed ${second.err}`)
      if (!pids.every(isAlive)) failNow('a server has exited')
      memory.push(pids.filter(isAlive).reduce((sum, pid) => sum + statusOf(pid).memory, 0))
    }
    await reading.end()
    fault = 'at the end'
    const [early = 0, late = 0] = [memory.at(FAULTS.length), memory.at(-1)]
    if (memory.length > FAULTS.length && late - early > MOST_GROWTH_MEGABYTES)
      failNow(`memory grew: ${memory.join(', ')} MB`)
    const isScored = async () => (await sql`select from passports where stale = 1 limit 1`).length === 0
    const undisturbed = undisturbedExport(times, folder.path)
    await until(isScored, 'all scores')
    if ((await exportWithoutTimes(options)) !== (await undisturbed))
      failNow('the data differs from that of an undisturbed import')
    const { responses, unavailable, slowest } = reading.counts
    return {
      count: times,
      note: `${responses.toLocaleString('en')} responses, ${unavailable.toLocaleString('en')} of them 503, the slowest after ${slowest} ms; ${resumed} imports resumed; memory ${memory.at(0)} to ${late} MB`,
    }
  },
}

/** Waits until all nodes respond again, without a restart. */
async function untilAvailable(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    for (const { path } of TARGETS) {
      await until(async () => (await fetch(url + path)).status === 200, `${path} to be available again`)
    }
  }
}

/** The error output of an import must end with a sentence and contain no stack. */
const isSentence = (text: string) => /(^|\n)passportd: .+[.]\n$/.test(text) && !/\n {4}at /.test(text)

async function fill(address: Parameters<typeof openStore>[0]): Promise<void> {
  const store = await openStore(address)
  await saveRecords(store, FIXED)
  await store.database.close()
}

/** Removes the times of scoring, which differ between runs. */
async function exportWithoutTimes(options: Options): Promise<string> {
  const { out, err, code } = await run(['export'], options)
  if (code !== 0) throw new Error(`export failed: ${err}`)
  return out.replaceAll(/"\w*calculated_at":("[^"]*"|null)/g, '')
}

/** The export after the same imports on SQLite, without faults. */
async function undisturbedExport(rounds: number, cwd: string): Promise<string> {
  const path = join(cwd, 'undisturbed.db')
  const options = { cwd, env: { DATABASE_URL: `sqlite:${path}` } }
  await fill({ engine: 'sqlite', path })
  await run(['import', ...Array.from({ length: rounds }, (_, round) => fileOfRound(round))], options)
  await run(['score'], options)
  return exportWithoutTimes(options)
}
