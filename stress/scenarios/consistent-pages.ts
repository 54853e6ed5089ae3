import { join } from 'node:path'
import { type DatabaseAddress, parseDatabaseAddress } from '../../src/core/store/database-address.ts'
import { openStore } from '../../src/core/store/open.ts'
import type { Store } from '../../src/core/store/store.ts'
import { serveProcess } from '../../test/support/cli.ts'
import { testDatabase } from '../../test/support/postgres/postgres.ts'
import { record } from '../../test/support/store/records.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import type { Fail, Scenario } from '../run-scenario.ts'
import { type Exchange, startClients } from '../support/send-requests.ts'

const PASSPORTS = 240
/** The ids of a passport that is removed and of one that is merged, so that batches change the number of passports. */
const REMOVED = 7
const MERGED = 8
const READERS = 6
const TARGETS = [
  '?per_page=250',
  '?per_page=100&page=2',
  '?keyword=person&per_page=250',
  '?keyword=person&per_page=50',
]

export const consistentPages: Scenario = {
  name: 'consistent-pages',
  title: 'batches, removals and merges, while readers check that each page shows one moment',
  long: 400,
  short: 20,
  async run(times, fail) {
    using folder = tempFolder()
    const notes: string[] = []
    const sqlite = `sqlite:${join(folder.path, 'moment.db')}`
    await using postgres = times > 20 ? await testDatabase() : undefined
    for (const url of [sqlite, ...(postgres ? [postgres.url] : [])]) {
      notes.push(`${await readDuring(folder.path, url, times, fail)} pages`)
    }
    return { count: times, note: notes.join(', ') }
  },
}

async function readDuring(cwd: string, url: string, times: number, fail: Fail): Promise<number> {
  const store = await openStore(parseDatabaseAddress(url) as DatabaseAddress)
  await save(store, 0)
  const env = { DATABASE_URL: url, TIERS: 'anonymous=unlimited' }
  await using server = await serveProcess(['--workers', '2'], { cwd, env })
  const end = new AbortController()
  let pages = 0
  const reading = startClients(READERS, {
    url: server.url,
    next: () => ({
      target: `/api/v1/passports${TARGETS[pages % TARGETS.length]}`,
    }),
    onExchange(exchange) {
      pages++
      const problem = problemOf(exchange)
      if (problem !== undefined) fail(`${exchange.target}: ${problem}`)
    },
    signal: end.signal,
  })
  for (let version = 1; version <= times; version++) {
    const before = pages
    await save(store, version)
    if (version % 3 === 1) await store.passports.remove(REMOVED, version)
    if (version % 3 === 2) await store.passports.merge(MERGED, 9)
    if (version % 3 === 0) await store.passports.unmerge(MERGED)
    while (pages === before) await Bun.sleep(1)
  }
  end.abort()
  await reading
  await store.database.close()
  return pages
}

/** In one transaction, gives all passports new scores, a new order, and the version as their location. */
async function save(store: Store, version: number): Promise<void> {
  const records = Array.from({ length: PASSPORTS }, (_, at) => ({
    kind: 'passport' as const,
    passport: record(at + 1, {
      scores: { total: (at * 7 + version * 31) % 997 },
      profile: { displayName: `Person ${at}`, location: `v${version}` },
    }),
  }))
  // Adds a passport, so that the total grows.
  records.push({
    kind: 'passport',
    passport: record(1000 + version, { profile: { displayName: 'Person', location: 'new' } }),
  })
  await store.records.save(records, { now: version, restore: true })
}

function problemOf(exchange: Exchange): string | undefined {
  if ('error' in exchange) return exchange.error.message
  if (exchange.response.status !== 200) return `${exchange.response.status}`
  const { passports, pagination } = JSON.parse(exchange.text) as {
    passports: { score: number; passport_profile: { location: string } }[]
    pagination: { current_page: number; total: number }
  }
  const size = Number(/per_page=(\d+)/.exec(exchange.target)?.[1])
  const expected = Math.max(0, Math.min(size, pagination.total - (pagination.current_page - 1) * size))
  if (passports.length !== expected) return `${passports.length} passports of ${pagination.total}`
  const versions = new Set(passports.map(({ passport_profile }) => passport_profile.location))
  versions.delete('new')
  if (versions.size > 1) return `shows ${[...versions].join(' and ')}`
  const isRanked = passports.every(({ score }, at) => at === 0 || score <= (passports[at - 1]?.score ?? 0))
  return isRanked ? undefined : 'is not in the order of scores'
}
