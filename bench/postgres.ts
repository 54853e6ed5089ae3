/**
 * Reads on PostgreSQL with many passports: one by id beside what pgbench reaches with the same prepared select in the
 * same run; the last page beside the first; keywords, and whether their plan uses an index.
 *
 *   npx bun bench/postgres.ts [--passports 1000000] [--rounds 5] [--seconds 5] [--credentials 3]
 *
 * Needs `wrk` and `pgbench` (Debian: wrk, postgresql-contrib). Starts a PostgreSQL of its own and deletes it again;
 * BENCH_POSTGRES_URL names a database of another one instead, empty or filled by an earlier run.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { SQL } from 'bun'
import { matchName } from '../src/store/postgres/search.ts'
import { serveProcess } from '../test/support/cli.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { eachFrom } from './load.ts'
import { median, needs, row, tempFolder, wrk } from './measure.ts'
import { pgbench, writeSelect } from './pgbench.ts'
import { fillPostgres, SETTINGS } from './postgres-set.ts'

const { values } = parseArgs({
  options: {
    passports: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '5' },
    credentials: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
})
const [passports, rounds, seconds, credentials] = [
  values.passports,
  values.rounds,
  values.seconds,
  values.credentials,
].map(Number) as [number, number, number, number]
const PAGE = 25

needs(['wrk', 'pgbench'], 'wrk postgresql-contrib')

using folder = tempFolder()
const given = process.env.BENCH_POSTGRES_URL
const server = given ? undefined : await startPostgres({ settings: SETTINGS })
const url = given ?? (server?.url as string)
try {
  await fillPostgres(url, { passports, credentials })
  const env = { DATABASE_URL: url, TIERS: 'anonymous=unlimited' }
  await using node = await serveProcess([], { cwd: folder.path, env })
  const result = { passports, ...(await measureReads(node.url)), ...(await measureKeywords(node.url)) }
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
} finally {
  await server?.[Symbol.asyncDispose]()
}

async function measureReads(base: string) {
  const select = writeSelect(folder.path, passports)
  const last = Math.ceil(passports / PAGE)
  const rate = async (path: string) => (await wrk(base, { load: eachFrom(path), seconds })).rate
  const list = (page: number) => rate(`'/api/v1/passports?per_page=${PAGE}&page=${page}'`)

  const runs: Record<string, number[]> = { pgbench: [], 'by id': [], 'first page': [], 'last page': [] }
  // The first round warms up both sides and does not count.
  for (let round = 0; round <= rounds; round++) {
    const rates = {
      pgbench: await pgbench(url, select, seconds),
      'by id': await rate(`'/api/v1/passports/' .. math.random(1, ${passports})`),
      'first page': await list(1),
      'last page': await list(last),
    }
    if (round > 0) for (const [name, rate] of Object.entries(rates)) runs[name]?.push(rate)
  }
  const typical = (name: string) => median(runs[name] ?? [])
  console.table(
    Object.entries(runs).map(([what, rates]) => ({
      ...row(what, rates),
      'to pgbench': Number((median(rates) / typical('pgbench')).toFixed(2)),
    })),
  )
  const pages = typical('first page') / typical('last page')
  console.log(`the last page costs ${pages.toFixed(2)} times the first`)
  return { rates: runs, byIdToPgbench: typical('by id') / typical('pgbench'), lastToFirstPage: pages }
}

async function measureKeywords(base: string) {
  await using sql = new SQL(url, { max: 1 })
  const keywords = ['quillfeather', String(passports - 7), 'ada', '🐉', 'qx', 'zz top', 'a']
  const rows = []
  for (const keyword of keywords) {
    const times = []
    let total = 0
    for (let turn = 0; turn < 3; turn++) {
      // A blank more each time: the same search to us is not the same to a cache in between.
      const begin = performance.now()
      const answer = await fetch(`${base}/api/v1/passports?keyword=${encodeURIComponent(keyword)}`)
      total = ((await answer.json()) as { pagination: { total: number } }).pagination.total
      times.push(performance.now() - begin)
    }
    const { text, values } = matchName(keyword)
    const plan = await sql.unsafe(`explain ${text.replace(/\$(\d)/g, (_, at) => quote(values[at - 1]))}`)
    const lines = plan.map((row: Record<string, string>) => Object.values(row)[0]).join('\n')
    rows.push({
      keyword,
      matches: total,
      'first ms': Number((times[0] as number).toFixed(1)),
      'again ms': Number(Math.min(...times.slice(1)).toFixed(1)),
      index: /Index Scan on (\w+)/.exec(lines)?.[1] ?? 'none: reads all names',
    })
  }
  console.table(rows)
  return { keywords: rows }
}

function quote(value: unknown): string {
  if (Array.isArray(value)) return `array[${value.map(quote)}]`
  return `'${String(value).replaceAll("'", "''")}'`
}
