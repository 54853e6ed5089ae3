/**
 * What limits, usage and metrics cost on reads by id: two servers of the same code on SQLite, one without any of them
 * and one with all, in turns.
 *
 *   npx bun bench/overhead.ts [--passports 10000] [--rounds 7] [--seconds 4] [--json FILE]
 *
 * Needs Linux and `wrk` (Debian: wrk). Each server runs in a process of its own; only one has work at a time.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createFixedWindow } from '../src/api/fixed-window.ts'
import { instrumentStore } from '../src/api/instrumented-store.ts'
import { createLimiter } from '../src/api/rate-limit.ts'
import { type ServerOptions, startServer } from '../src/api/server.ts'
import { createUsageCounter } from '../src/api/usage.ts'
import { createStoreCatalog } from '../src/catalog/catalog.ts'
import { NO_PLAN } from '../src/domain/retirement.ts'
import { DEFAULT_TIERS } from '../src/domain/tier.ts'
import { createMeter } from '../src/serve/meter.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { KEY, keepKey } from './key.ts'
import { eachFrom } from './load.ts'
import { manyPeople } from './many-people.ts'
import { median, needs, row, tempFolder, wrk } from './measure.ts'
import { processorTime } from './process-figures.ts'

const { values } = parseArgs({
  options: {
    passports: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    json: { type: 'string' },
    // For the processes that this one starts.
    serve: { type: 'string' },
    database: { type: 'string' },
  },
})
const [passports, rounds, seconds] = [values.passports, values.rounds, values.seconds].map(Number) as [
  number,
  number,
  number,
]

const WORDS = { off: 'none', limits: 'limits', usage: 'limits, usage', all: 'limits, usage, metrics' }
type Kind = keyof typeof WORDS

if (values.serve) await serve(values.serve as Kind, values.database as string)
else await measure()

async function serve(kind: Kind, path: string): Promise<void> {
  const store = openSqlite(path)
  const now = Date.now
  const usage = createUsageCounter(now)
  const limited = { name: 'bench', requests: 1_000_000, window: 1, monthly: 1e12 }
  const unlimited = { name: 'bench', requests: Number.POSITIVE_INFINITY, window: 1 }
  const meter = kind === 'all' ? createMeter() : undefined
  const options: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    store: meter ? instrumentStore(store, meter.metrics.observeStore) : store,
    now,
    requireKey: true,
    trustedProxies: [],
    limiter: createLimiter({
      // Counted, and never reached.
      tiers: [...DEFAULT_TIERS, kind === 'off' ? unlimited : limited],
      counter: createFixedWindow(now),
      now,
      isSpent: usage.isSpent,
    }),
    usage: kind === 'usage' || kind === 'all' ? usage : { ...usage, count: () => undefined },
    plan: () => NO_PLAN,
    deprecatedAt: Date.UTC(2025, 2, 31),
    routes: [],
    catalog: createStoreCatalog(store),
    onError: console.error,
    metrics: meter?.metrics,
  }
  // As often as the listener does.
  setInterval(() => usage.take(), 3000)
  console.log(startServer(options).url.origin)
}

async function measure(): Promise<void> {
  needs(['wrk'], 'wrk')
  using folder = tempFolder()
  const servers: Bun.Subprocess[] = []
  try {
    const database = join(folder.path, 'x.db')
    await fill(database)
    // Requests carry a key to all servers: what it costs to check it is not asked here.
    const load = eachFrom(`'/api/v1/passports/' .. math.random(1, ${passports})`, { 'X-API-KEY': KEY })
    const nodes = new Map<Kind, { url: string; pid: number }>()
    for (const kind of Object.keys(WORDS) as Kind[]) {
      const server = Bun.spawn(
        [process.execPath, import.meta.path, '--serve', kind, '--database', database],
        {
          stdout: 'pipe',
          stderr: 'inherit',
        },
      )
      servers.push(server)
      for await (const chunk of server.stdout) {
        nodes.set(kind, { url: new TextDecoder().decode(chunk).trim(), pid: server.pid })
        break
      }
    }
    const runs = new Map([...nodes].map(([kind]) => [kind, [] as Run[]]))
    // The first round warms up and does not count.
    for (let round = 0; round <= rounds; round++) {
      for (const [kind, { url, pid }] of nodes) {
        const before = processorTime(pid)
        const { rate, requests } = await wrk(url, { seconds, load })
        const processor = ((processorTime(pid) - before) * 1e6) / requests
        if (round > 0) runs.get(kind)?.push({ rate, processor })
      }
    }
    report(runs)
  } finally {
    for (const server of servers) server.kill()
  }
}

/** Requests a second, and microseconds of processor time that the server spent on each. */
type Run = { rate: number; processor: number }

function report(runs: Map<Kind, Run[]>): void {
  const off = runs.get('off') ?? []
  // Of neighbours in time: the machine may be slower in one round than in another.
  const toNone = (each: Run[], what: keyof Run) =>
    Number(median(each.map((run, at) => run[what] / (off[at]?.[what] ?? Number.NaN))).toFixed(3))
  const rows = [...runs].map(([kind, each]) => {
    return {
      ...row(
        WORDS[kind],
        each.map(({ rate }) => rate),
      ),
      'to none': toNone(each, 'rate'),
      'processor µs': Number(median(each.map(({ processor }) => processor)).toFixed(1)),
      'processor to none': toNone(each, 'processor'),
    }
  })
  console.table(rows)
  if (values.json) writeFileSync(values.json, `${JSON.stringify({ passports, rows }, null, 2)}\n`)
}

async function fill(path: string): Promise<void> {
  const store = openSqlite(path)
  const records = [...manyPeople(passports)].map((passport) => ({ kind: 'passport' as const, passport }))
  await store.records.save(records, { now: Date.now(), restore: false })
  await keepKey(store)
  await store.close()
}
