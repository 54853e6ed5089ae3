/**
 * Compares the rate of `POST /api/v3/records` with that of the command `import`, and the p99 of reads by id while one key
 * writes at the limit of the tier `standard` with the p99 without writes. One server thread, SQLite.
 *
 *   npx bun bench/writes.ts [--records 10000] [--rounds 3] [--seconds 20]
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sumScores } from '../src/core/passport/credential.ts'
import { openStore } from '../src/core/store/open.ts'
import { presentRecord } from '../src/features/records/export.ts'
import { makeKey } from '../test/support/http/keys.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { manyPeople } from './data-sets/data-set.ts'
import { BENCH_TIERS, createKey } from './support/api-key.ts'
import { figureOf } from './support/figures.ts'
import { readOptions } from './support/options.ts'
import { printResult } from './support/report.ts'
import { SERVE, type Server, startServer } from './support/servers.ts'
import { loadOf, paced, runWrk } from './support/wrk.ts'

const { records, rounds, seconds } = readOptions({ records: 10_000, rounds: 3, seconds: 20 })

/** Records per request. */
const BATCH = 1000
/** Requests at once: one is parsed while another one is saved. */
const CLIENTS = 2
const WARM_UP = 20
const WARM_UP_SECONDS = 10
/** Passports that are stored before each measurement. */
const STORED = 20 * BATCH
const reads = paced(loadOf(`'/api/v1/passports/' .. math.random(1, ${STORED})`), 10, 8)
const MAIN = join(import.meta.dir, '../src/main.ts')

using folder = tempFolder()
const database = join(folder.path, 'bench.db')
const env = { DATABASE_URL: `sqlite:${database}` }
const people = toLines(0)
const lines = people.slice(STORED)
/** Each batch changes all its passports. */
const changes = [1, 2].flatMap((version) => batchesOf(toLines(version).slice(0, STORED)))
const stored = join(folder.path, 'stored.jsonl')
const single = join(folder.path, 'single.jsonl')
const file = join(folder.path, 'records.jsonl')
writeFileSync(stored, people.slice(0, STORED).join(''))
writeFileSync(single, people[0] ?? '')
writeFileSync(file, lines.join(''))

const emptyRates = () => ({ import: [] as number[], post: [] as number[], ratio: [] as number[] })
const rates = { wall: emptyRates(), cpu: emptyRates() }
const quiet: number[] = []
const busy: number[] = []
const slower: number[] = []
for (let round = 0; round < rounds; round++) {
  console.error(`Round ${round + 1} of ${rounds}`)
  await fillDatabase()
  // The start of the process is not part of the rate.
  const start = await timeImport(single)
  const imported = await timeImport(file)
  const posted = await timePosts()
  for (const unit of ['wall', 'cpu'] as const) {
    const time = imported[unit] - start[unit]
    rates[unit].import.push(records / time)
    rates[unit].post.push(records / posted[unit])
    rates[unit].ratio.push(time / posted[unit])
  }
  const { without, during } = await measureReads()
  quiet.push(without)
  busy.push(during)
  slower.push(during / without)
}
const figures = [
  figureOf('import: records', 'a second', rates.wall.import),
  figureOf('POST /api/v3/records: records', 'a second', rates.wall.post),
  figureOf('POST /api/v3/records / import: rate', '', rates.wall.ratio, { least: 0.8 }),
  figureOf('import: records', 'a second of CPU', rates.cpu.import),
  figureOf('POST /api/v3/records: records', 'a second of CPU', rates.cpu.post),
  figureOf('POST /api/v3/records / import: rate by CPU', '', rates.cpu.ratio),
  figureOf('read by id: p99 without writes, ms', '', quiet),
  figureOf('read by id: p99 while a key writes at its limit, ms', '', busy),
  figureOf('read by id: p99 during writes / without', '', slower, { most: 1.5 }),
]
printResult({ figures, series: [] })

/** Lines of less than 1 KiB, so that a request has 1,000 of them. `version` changes all scores. */
function toLines(version: number): string[] {
  return [...manyPeople(STORED + records)].map((person) => {
    // The scores add up, so that the server need not calculate them: `import` does not calculate scores either.
    const score = 1 + version
    const credentials = person.credentials.slice(0, 1).map((each) => ({ ...each, score, givenScore: score }))
    const profile = { ...person.profile, bio: '' }
    const line = presentRecord({
      ...person,
      profile,
      socials: [],
      credentials,
      scores: sumScores(credentials),
    })
    return `${JSON.stringify(line)}\n`
  })
}

type Times = { wall: number; cpu: number }

async function timeImport(path: string): Promise<Times> {
  const begin = performance.now()
  const child = Bun.spawn([process.execPath, '--smol', MAIN, 'import', path], {
    env,
    stdout: 'ignore',
    stderr: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error('The import failed.')
  const cpu = Number(child.resourceUsage()?.cpuTime.total) / 1e6
  return { wall: (performance.now() - begin) / 1000, cpu }
}

async function fillDatabase(): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
  await timeImport(stored)
}

/** Starts a server and warms it up. Returns it with two keys that may write. */
async function serve() {
  await fillDatabase()
  const store = await openStore({ engine: 'sqlite', path: database })
  await createKey(store)
  const [unlimited, limited] = await Promise.all(
    ['unlimited', 'standard'].map((tier, at) => makeKey(store, at + 1, { tier, scopes: ['write:*'] })),
  )
  if (!unlimited || !limited) throw new Error('A key is missing.')
  await store.database.close()
  const server = await startServer(SERVE, { ...env, TIERS: BENCH_TIERS })
  // A server runs for long: its functions are compiled.
  const reading = runWrk(server.url, reads, WARM_UP_SECONDS, 0)
  for (const body of changes.slice(0, WARM_UP)) await post(server, unlimited.init.headers, body)
  await reading
  return { server, unlimited: unlimited.init.headers, limited: limited.init.headers }
}

function post(server: Server, key: Record<string, string>, body: string): Promise<Response> {
  const headers = { ...key, 'Content-Type': 'application/x-ndjson' }
  return fetch(`${server.url}/api/v3/records`, { method: 'POST', body, headers })
}

function batchesOf(all: readonly string[]): string[] {
  const count = Math.ceil(all.length / BATCH)
  return Array.from({ length: count }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH).join(''))
}

async function timePosts(): Promise<Times> {
  const { server, unlimited } = await serve()
  await using _ = server
  const batches = batchesOf(lines)
  const begin = performance.now()
  const cpuBefore = server.cpuSeconds()
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (let body = batches.shift(); body !== undefined; body = batches.shift()) {
        const response = await post(server, unlimited, body)
        if (!response.ok) throw new Error(await response.text())
      }
    }),
  )
  return { wall: (performance.now() - begin) / 1000, cpu: server.cpuSeconds() - cpuBefore }
}

async function measureReads() {
  const { server, limited } = await serve()
  await using _ = server
  const read = () => runWrk(server.url, reads, seconds, 0)
  const { p99: without } = await read()
  const stop = new AbortController()
  const writing = writeAtLimit(server, limited, stop.signal)
  const { p99: during } = await read()
  stop.abort()
  console.error(`${await writing} records were written meanwhile.`)
  return { without, during }
}

/** Writes changed records as often as the limit allows. Returns how many records it wrote. */
async function writeAtLimit(
  server: Server,
  key: Record<string, string>,
  signal: AbortSignal,
): Promise<number> {
  let written = 0
  for (let at = 0; !signal.aborted; at++) {
    const response = await post(server, key, changes[at % changes.length] ?? '')
    await response.text()
    if (response.ok) written += BATCH
    else if (response.status === 429) await Bun.sleep(Number(response.headers.get('Retry-After')) * 1000)
    else throw new Error(`${response.status}`)
  }
  return written
}
