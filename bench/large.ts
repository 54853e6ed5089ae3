/**
 * Measures ten million passports: on SQLite, or on PostgreSQL with a streaming replica and two nodes. The figures are
 * copied to bench/RESULTS.md by hand.
 *
 *   npx bun bench/large.ts [--passports 10000000] [--engine sqlite] [--rounds 3] [--seconds 5]
 */
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { createLocalIndex } from '../src/core/cli/local-index.ts'
import { parseFilter } from '../src/core/lists/filter.ts'
import { parseSort } from '../src/core/lists/list-request.ts'
import { type DatabaseAddress, parseDatabaseAddress } from '../src/core/store/database-address.ts'
import { openStore } from '../src/core/store/open.ts'
import { presentRecord } from '../src/features/records/export.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { manyPeople } from './data-sets/data-set.ts'
import { IMPORTED, largePostgres, largeSqlite } from './data-sets/large-data-set.ts'
import { startPersistentPostgres, startStandby } from './data-sets/reused-postgres.ts'
import { type Figure, figureOf } from './support/figures.ts'
import { mixedKeywords } from './support/keywords.ts'
import { measurementOf } from './support/measurements.ts'
import { readOptions } from './support/options.ts'
import { treeCpuSeconds, unmappedMegabytes } from './support/process-stats.ts'
import { loadsOf, READS } from './support/read-loads.ts'
import { printResult } from './support/report.ts'
import { runRounds } from './support/rounds.ts'
import { type Server, startOurs } from './support/servers.ts'
import { loadOf } from './support/wrk.ts'

const { passports, engine, rounds, seconds } = readOptions({
  ...{ passports: 10_000_000, engine: 'sqlite', rounds: 3, seconds: 5 },
})
/** Records of the import, and passports that are scored. */
const CHANGED = 20_000

await using started = new AsyncDisposableStack()
const { database, env, bytes, cpuOfDatabase } = engine === 'sqlite' ? await onSqlite() : await onPostgres()
const figures: Figure[] = [figureOf('disk', 'MB', [bytes / 1e6])]
const show = (name: string, unit: Figure['unit'], value: number) => {
  figures.push(figureOf(name, unit, [value]))
  console.error(`${name}: ${value.toFixed(2)} ${unit}`)
}
await measureBuilds()
await measureScoring()
const nodes = await startNodes()
const series = await measureReads(nodes[0] as Server)
await measureImport()
for (const [at, { pid }] of nodes.entries())
  show(`memory of node ${at + 1} at the end`, 'MB', unmappedMegabytes(pid))
printResult({ figures, series })
process.exit()

async function onSqlite() {
  const path = await largeSqlite(passports)
  return { database: `sqlite:${path}`, env: {}, bytes: statSync(path).size, cpuOfDatabase: () => 0 }
}

async function onPostgres() {
  const primary = await startPersistentPostgres()
  started.defer(primary.stop)
  const database = await largePostgres(primary, passports)
  const standby = await startStandby(primary)
  started.defer(standby.stop)
  await using sql = new SQL(database, { max: 1 })
  const [size] = await sql`select pg_database_size(current_database())::float8 as bytes`
  return {
    database,
    env: { DATABASE_READ_URL: standby.urlOf(new URL(database).pathname.slice(1)) },
    bytes: size.bytes as number,
    cpuOfDatabase: () => treeCpuSeconds(primary.pid) + treeCpuSeconds(standby.pid),
  }
}

/** What a start and a change cost, measured in this process. */
async function measureBuilds(): Promise<void> {
  const store = await openStore(parseDatabaseAddress(database) as DatabaseAddress, { migrate: false })
  const index = createLocalIndex(store)
  const filter = parseFilter('human:true,type:github|ens,tag:!bot')
  const list = () => index.call('list', { request: { filter, sort: parseSort(), limit: 25 } })
  await time('the first list, with the index that was saved or is built', list)
  const [person] = manyPeople(1)
  if (!person) throw new Error('The data set has no people.')
  const changed = { ...person, profile: { ...person.profile, bio: `Changed ${Date.now()}` } }
  await store.records.save([{ kind: 'passport', passport: changed }], { now: Date.now(), restore: false })
  await time('a list after one change', list)
  await store.database.close()
}

async function time<T>(name: string, work: () => Promise<T>): Promise<T> {
  const [begin, before] = [performance.now(), process.cpuUsage()]
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  show(`${name}: seconds`, '', (performance.now() - begin) / 1000)
  show(`${name}: CPU seconds`, '', (user + system) / 1e6)
  return result
}

async function startNodes(): Promise<Server[]> {
  const servers: Server[] = []
  for (let node = 1; node <= (engine === 'sqlite' ? 1 : 2); node++) {
    const begin = performance.now()
    const server = started.use(await startOurs(database, env))
    show(`node ${node}: seconds from its start until it is idle`, '', (performance.now() - begin) / 1000)
    show(`node ${node}: CPU seconds of its start`, '', server.cpuSeconds())
    show(`node ${node}: memory after its start`, 'MB', unmappedMegabytes(server.pid))
    servers.push({ ...server, cpuSeconds: () => server.cpuSeconds() + cpuOfDatabase() })
  }
  return servers
}

async function measureReads(server: Server) {
  // Only imported passports have wallets that can be calculated from their ids.
  const loads = {
    ...loadsOf(passports, mixedKeywords(passports)),
    'by-wallet': loadsOf(IMPORTED, [])['by-wallet'],
  }
  const filtered = loadOf(
    `'/api/v3/passports?filter=human:true,score:%3E' .. math.random(1, 1000000) / 10000`,
    4,
  )
  const named = {
    ...Object.fromEntries(READS.map((read) => [read, loads[read]])),
    keywords: loads.keywords,
    filtered,
  }
  const measurements = Object.entries(named).map(([read, load]) => measurementOf('ours', read, server, load))
  return runRounds(measurements, { rounds, seconds })
}

/** Imports changed records while the nodes run. */
async function measureImport(): Promise<void> {
  using folder = tempFolder()
  const file = join(folder.path, 'people.jsonl')
  const lines = [...manyPeople(CHANGED)].map((person) => {
    const profile = { ...person.profile, bio: `Changed ${Date.now()}` }
    return JSON.stringify(presentRecord({ ...person, socials: [], profile }))
  })
  writeFileSync(file, lines.join('\n'))
  await run(['import', file], 'import')
}

/** Scores passports before the nodes start, because they would share the work. */
async function measureScoring(): Promise<void> {
  await using sql = new SQL(database.replace('sqlite:', 'sqlite://'), { max: 1 })
  await sql`update passports set stale = 1 where id <= ${CHANGED}`
  await run(['score'], 'scoring')
}

async function run(args: string[], name: string): Promise<void> {
  const begin = performance.now()
  const child = Bun.spawn([process.execPath, '--smol', join(import.meta.dir, '../src/main.ts'), ...args], {
    env: { DATABASE_URL: database },
    stdout: 'ignore',
    stderr: 'inherit',
  })
  if ((await child.exited) !== 0) throw new Error(`${args.join(' ')} failed.`)
  const cpu = Number(child.resourceUsage()?.cpuTime.total) / 1e6
  show(name, 'a second of CPU', CHANGED / cpu)
  show(name, 'a second', (CHANGED * 1000) / (performance.now() - begin))
}
