/**
 * What pages for people cost beside a read by id, with many passports: the first and the last page of the ranking, one
 * passport, and random ones, on SQLite and, where BENCH_POSTGRES_URL names an empty or filled database, on PostgreSQL.
 *
 *   npx bun bench/explorer.ts [--passports 1000000] [--rounds 5] [--seconds 3]
 *
 * Needs `wrk` (Debian: wrk). Data sets are kept outside the repository (BENCH_DATA) and used again.
 */
import { parseArgs } from 'node:util'
import { openStore } from '../src/store/open.ts'
import { serveProcess } from '../test/support/cli.ts'
import { fill, sqliteSet } from './data-set.ts'
import { eachFrom } from './load.ts'
import { median, needs, row, tempFolder, wrk } from './measure.ts'

const { values } = parseArgs({
  options: {
    passports: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
})
const [passports, rounds, seconds] = [values.passports, values.rounds, values.seconds].map(Number) as [
  number,
  number,
  number,
]
const PAGE = 20

needs(['wrk'], 'wrk')

const last = Math.ceil(passports / PAGE)
const random = (path: string) => `'${path}' .. math.random(1, ${passports})`
/** Each as what wrk's Lua makes the path of. */
const TARGETS = {
  'by id': random('/api/v1/passports/'),
  'ranking, first page': `'/'`,
  'ranking, last page': `'/?page=${last}'`,
  'a passport': `'/passports/${Math.ceil(passports / 2)}'`,
  'random passports': random('/passports/'),
}

await measure('SQLite', `sqlite:${await sqliteSet(passports)}`)
const postgres = process.env.BENCH_POSTGRES_URL
if (postgres) {
  const store = await openStore({ engine: 'postgres', url: postgres })
  await fill(store, passports)
  await store.close()
  await measure('PostgreSQL', postgres)
}

async function measure(engine: string, database: string): Promise<void> {
  using folder = tempFolder()
  await using node = await serveProcess([], {
    cwd: folder.path,
    env: { DATABASE_URL: database, TIERS: 'anonymous=unlimited, explorer=unlimited' },
  })
  const rates = new Map<string, number[]>(Object.keys(TARGETS).map((name) => [name, []]))
  // The first round warms up and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, path] of Object.entries(TARGETS)) {
      const { rate } = await wrk(node.url, { load: eachFrom(path), seconds })
      if (round > 0) rates.get(name)?.push(rate)
    }
  }
  const byId = median(rates.get('by id') ?? [])
  console.log(`${engine}, ${passports.toLocaleString('en')} passports`)
  console.table(
    [...rates].map(([what, each]) => ({
      ...row(what, each),
      'reads by id': Number((byId / median(each)).toFixed(2)),
    })),
  )
}
