import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { openStore } from '../../src/store/open.ts'
import { run, serveProcess } from '../../test/support/cli.ts'
import { saveRecords } from '../../test/support/engines.ts'
import { INVENTED, linesOf } from '../../test/support/lines.ts'
import { change } from '../../test/support/opening.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { until } from '../../test/support/postgres-process.ts'
import { childrenOf, isAlive } from '../../test/support/processes.ts'
import { ada, named } from '../../test/support/records.ts'
import { tcpProxy } from '../../test/support/tcp-proxy.ts'
import { tempFolder } from '../../test/support/temp.ts'
import type { Part } from '../part.ts'
import { residentMegabytes } from './memory.ts'
import { FAULTS } from './postgres-faults.ts'
import { startReading, type Target } from './steady-reading.ts'

/** Answers are to come within 2 seconds, keywords and a new order of the list within 8; this machine does all at once. */
const SOON = 4000
const LATE = 12_000

/** Whom nobody writes about while others come in. */
const LASTING = [
  { ...ada, stale: false },
  ...Array.from({ length: 30 }, (_, at) => named(10_000_000 + at, `Watched ${at}`, 5000 - at)),
]

const whole = (body: unknown) => body
const TARGETS: readonly Target[] = [
  { path: '/api/v1/passports/7', lasting: whole, within: SOON },
  { path: `/api/v1/passports/${ada.mainWallet}`, lasting: whole, within: SOON },
  { path: '/api/v1/passport_credentials?passport_id=7', lasting: whole, within: SOON },
  { path: '/api/v1/passports?per_page=10&page=2', lasting: ({ passports }) => passports, within: LATE },
  { path: '/api/v1/passports?keyword=watched&per_page=5', lasting: whole, within: LATE },
]

/** Enough for an import to be in the midst of them. */
const PEOPLE = INVENTED.map((person) => ({ ...person, credentials: person.credentials?.slice(0, 2) ?? [] }))
/** Other people each round, none of them one of the lasting. */
const linesOfRound = (round: number) => linesOf(PEOPLE, round + 1)
const fileOfRound = (round: number) => `${round}.jsonl`

/** How long a fault lasts that does not end by itself. */
const HURT_MILLISECONDS = 2000

/** More than this is a leak, once every fault has been seen. */
const MOST_GROWTH_MEGABYTES = 100

type Here = Parameters<typeof run>[1]

export const postgres: Part = {
  name: 'postgres',
  what: 'PostgreSQL stopped, killed, frozen, locked, full of others, its connections cut, lost or hanging, while callers read, an import runs and scores are worked out',
  long: 16,
  short: 1,
  async run(times, tell) {
    const isShort = times === 1
    await using server = await startPostgres({ settings: { max_connections: 100 } })
    await using proxy = await tcpProxy(server.port)
    await using sql = new SQL(server.url, { max: 1 })
    using folder = tempFolder()
    const url = change(server.url, (url) => {
      url.port = String(proxy.port)
    })
    await fill({ engine: 'postgres', url })
    const here = { cwd: folder.path, env: { DATABASE_URL: url, TIERS: 'anonymous=unlimited' } }
    await using nodes = new AsyncDisposableStack()
    const serve = async (...args: string[]) => nodes.use(await serveProcess(args, here))
    const served = isShort ? [await serve()] : [await serve(), await serve('--workers', '2')]
    const pids = served.flatMap(({ child }) => [child.pid, ...childrenOf(child.pid)])
    const urls = served.map(({ url }) => url)

    let lost = 0
    let fault = 'before anything'
    const lose = (what: string) => {
      lost++
      tell(`${fault}: ${what}`)
    }
    const reading = await startReading(urls, TARGETS, lose)
    const memory: number[] = []
    let resumed = 0
    for (let round = 0; round < times; round++) {
      const { name, begin } = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number]
      fault = name
      writeFileSync(join(folder.path, fileOfRound(round)), linesOfRound(round))
      const importing = run(['import', fileOfRound(round)], here)
      await Bun.sleep(300 + 500 * Math.random())
      const end = await begin({ server, proxy, sql })
      await Bun.sleep(isShort ? 300 : HURT_MILLISECONDS)
      await end()
      const first = await importing
      if (first.code !== 0) resumed++
      if (first.code !== 0 && !isSentence(first.err)) lose(`the import said ${first.err}`)
      await untilWell(urls)
      const second = await run(['import', fileOfRound(round)], here)
      if (second.code !== 0) lose(`the import said once more ${second.err}`)
      if (!pids.every(isAlive)) lose('a process of the service has ended')
      memory.push(residentMegabytes(pids.filter(isAlive)))
    }
    await reading.end()
    fault = 'in the end'
    const [early = 0, late = 0] = [memory.at(FAULTS.length), memory.at(-1)]
    if (memory.length > FAULTS.length && late - early > MOST_GROWTH_MEGABYTES)
      lose(`memory has grown: ${memory.join(', ')} MB`)
    const isScored = async () => (await sql`select from passports where stale = 1 limit 1`).length === 0
    await until(isScored, 'all scores')
    if ((await allOf(here)) !== (await allUndisturbed(times, folder.path))) lose('the data is another')
    const { answers, away, slowest } = reading.counts
    return {
      count: times,
      lost,
      note: `${answers.toLocaleString('en')} answers, ${away.toLocaleString('en')} of them 503, the slowest after ${slowest} ms; ${resumed} imports resumed; memory ${memory.at(0)} to ${late} MB`,
    }
  },
}

/** By itself: nobody restarts anything. */
async function untilWell(urls: readonly string[]): Promise<void> {
  for (const url of urls) {
    for (const { path } of TARGETS) {
      await until(async () => (await fetch(url + path)).status === 200, `${path} to be answered again`)
    }
  }
}

/** What an import that cannot go on ends with, after what it said of its progress. */
const isSentence = (text: string) => /(^|\n)passportd: .+[.]\n$/.test(text) && !/\n {4}at /.test(text)

async function fill(address: Parameters<typeof openStore>[0]): Promise<void> {
  const store = await openStore(address)
  await saveRecords(store, LASTING)
  await store.close()
}

/** All but the moments of scoring, which differ. */
async function allOf(here: Here): Promise<string> {
  const { out, err, code } = await run(['export'], here)
  if (code !== 0) throw new Error(`export failed: ${err}`)
  return out.replaceAll(/"\w*calculated_at":("[^"]*"|null)/g, '')
}

/** The other engine has no server that anything could happen to. */
async function allUndisturbed(rounds: number, cwd: string): Promise<string> {
  const path = join(cwd, 'undisturbed.db')
  const here = { cwd, env: { DATABASE_URL: `sqlite:${path}` } }
  await fill({ engine: 'sqlite', path })
  await run(['import', ...Array.from({ length: rounds }, (_, round) => fileOfRound(round))], here)
  await run(['score'], here)
  return allOf(here)
}
