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
const SURVIVOR = 9
const GONE = [REMOVED, MERGED]
const CHANGED = [...GONE, SURVIVOR]
const READERS = 6
const TARGETS = [
  '?per_page=250',
  '?per_page=100&page=2',
  '?keyword=person&per_page=250',
  '?keyword=person&per_page=50',
]

export const consistentPages: Scenario = {
  name: 'consistent-pages',
  title:
    'batches, removals and merges, while readers check that a page has the order of one moment, and items of that moment or later',
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
    if (version % 3 === 2) await store.passports.merge(MERGED, SURVIVOR)
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
      scores: { total: scoreOf(at + 1, version) },
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

const scoreOf = (id: number, version: number): number => ((id - 1) * 7 + version * 31) % 997

function problemOf(exchange: Exchange): string | undefined {
  if ('error' in exchange) return exchange.error.message
  if (exchange.response.status !== 200) return `${exchange.response.status}`
  const { passports, pagination } = JSON.parse(exchange.text) as {
    passports: { passport_id: number; passport_profile: { location: string } }[]
    pagination: { current_page: number; total: number }
  }
  const size = Number(/per_page=(\d+)/.exec(exchange.target)?.[1])
  const listed = Math.max(0, Math.min(size, pagination.total - (pagination.current_page - 1) * size))
  // A passport that is gone when the items are read is left out.
  if (passports.length > listed || passports.length < listed - GONE.length)
    return `${passports.length} passports of ${listed}, total ${pagination.total}`
  const ids = passports
    .map(({ passport_id }) => passport_id)
    .filter((id) => id <= PASSPORTS && !CHANGED.includes(id))
  // Items are current, so they may be later than the order.
  const shown = Math.max(0, ...passports.map((item) => Number(item.passport_profile.location.slice(1)) || 0))
  return findOrder(ids, shown) === undefined ? `has the order of no version until ${shown}` : undefined
}

/** The latest version, at most `last`, that gives these passports this order. */
function findOrder(ids: number[], last: number): number | undefined {
  for (let version = last; version >= 0; version--) {
    const scores = ids.map((id) => scoreOf(id, version))
    if (scores.every((score, at) => at === 0 || score < (scores[at - 1] ?? 0))) return version
  }
  return undefined
}
