/**
 * What a keyword costs that nobody has asked for before, beside plain SQL with LIKE on folded names and beside a read by id;
 * how long it holds up other reads, and how much memory the names take. The store alone, without HTTP.
 *
 *   npx bun bench/keyword.ts [--passports 1000000] [--keywords 200]
 *
 * Data sets are kept outside the repository (BENCH_DATA) and used again.
 */
import { Database } from 'bun:sqlite'
import { parseArgs } from 'node:util'
import { createRandom } from '../src/ingest/demo/random.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { mean, percentile } from './measure.ts'
import { nameSet } from './name-set.ts'

const { values } = parseArgs({
  options: {
    passports: { type: 'string', default: '1000000' },
    keywords: { type: 'string', default: '200' },
    // Other files than those that are made here.
    store: { type: 'string' },
    plain: { type: 'string' },
  },
})
const [passports, keywords] = [Number(values.passports), Number(values.keywords)]

/** LIKE takes so long that it is asked for a few keywords of each kind only. */
const LIKE_KEYWORDS = 5

const set = values.store && values.plain ? { store: values.store, plain: values.plain } : nameSet(passports)
const like = openLike(set.plain)
const kinds = chooseKeywords()

const residentBefore = resident()
const begin = performance.now()
const store = openSqlite(set.store)
await store.passports.list({ page: 1, size: 25, keyword: undefined })
const listReady = performance.now() - begin
await calm()
const namesReady = performance.now() - begin
const residentAfter = resident()

const byId = await measureReads()
const rows = []
const times: number[] = []
for (const [what, words] of Object.entries(kinds)) {
  const kind = await measureKind(words)
  rows.push({ what, ...kind.row })
  times.push(...kind.times)
}
const figures = {
  passports,
  'list is there after (ms)': Math.round(listReady),
  'names are there after (ms)': Math.round(namesReady),
  'resident before, after (MB)': `${residentBefore}, ${residentAfter}`,
  'by id, mean (µs)': Math.round(byId * 1000),
  'p99 of all keywords (µs)': Math.round(percentile(times, 0.99) * 1000),
  'that is, reads by id': Number((percentile(times, 0.99) / byId).toFixed(1)),
  'longest hold-up by keywords (ms)': Number((await measureHoldUp()).toFixed(2)),
}
console.table(rows)
console.table(figures)
console.log(JSON.stringify({ ...figures, rows }))
await store.close()

async function measureKind(words: readonly string[]) {
  const [times, likeTimes]: [number[], number[]] = [[], []]
  let matches = 0
  for (const [at, keyword] of words.entries()) {
    const start = process.cpuUsage()
    const { items, total } = await store.passports.list({ page: 1, size: 25, keyword })
    times.push(milliseconds(process.cpuUsage(start)))
    matches += total
    if (at >= LIKE_KEYWORDS) continue
    const likeStart = process.cpuUsage()
    const expected = like(keyword)
    likeTimes.push(milliseconds(process.cpuUsage(likeStart)))
    if (expected.total !== total || `${expected.ids}` !== `${items.map(({ id }) => id)}`) {
      throw new Error(`"${keyword}" has ${total} matches, not ${expected.total}, or others`)
    }
  }
  const row = {
    keywords: words.length,
    matches: Math.round(matches / words.length),
    'mean (µs)': Math.round(mean(times) * 1000),
    'p99 (µs)': Math.round(percentile(times, 0.99) * 1000),
    'LIKE (µs)': Math.round(mean(likeTimes) * 1000),
    'times faster': Math.round(mean(likeTimes) / mean(times)),
  }
  return { row, times }
}

/** A page and the total as plain SQL gives them, at its best: from a narrow index that has the folded names by rank. */
function openLike(path: string) {
  const database = new Database(path, { readonly: true, strict: true })
  const where = `name like ? escape '\\'`
  const count = database.query<{ total: number }, [string]>(
    `select count(*) as total from names where ${where}`,
  )
  const list = database.query<{ id: number }, [string]>(
    `select id from names where ${where} order by score desc, id limit 25`,
  )
  return (keyword: string) => {
    const pattern = `%${keyword.replace(/[\\%_]/g, '\\$&')}%`
    return { total: count.get(pattern)?.total ?? 0, ids: list.all(pattern).map(({ id }) => id) }
  }
}

function chooseKeywords(): Record<string, string[]> {
  const random = createRandom(11)
  const database = new Database(set.plain, { readonly: true })
  const find = database.query<{ name: string }, [number]>('select name from names where id = ?')
  const draw = (): string => find.get(random.whole(1, passports))?.name ?? draw()
  const many = (make: () => string | undefined) => {
    const words = new Set<string>()
    for (let tries = 0; tries < keywords * 50 && words.size < keywords; tries++) {
      const word = make()?.trim()
      if (word) words.add(word)
    }
    return [...words]
  }
  /** So many letters of a name, from anywhere in it. */
  const part = (length: number) => {
    const letters = [...draw()]
    const start = random.whole(0, Math.max(0, letters.length - length))
    return letters.slice(start, start + length).join('')
  }
  return {
    'whole name': many(draw),
    'last eight letters': many(() => [...draw()].slice(-8).join('')),
    word: many(() => draw().split(' ')[0]),
    'five letters': many(() => part(5)),
    'four letters': many(() => part(4)),
    'three letters': many(() => part(3)),
    'two letters': many(() => part(2)),
    'one letter': many(() => part(1)),
    'no match': many(() => `${[...draw()].reverse().join('')}q`),
    'no match, short': many(() => `${part(1)}qz${part(1)}`),
  }
}

async function measureReads(): Promise<number> {
  const random = createRandom(3)
  const reads = 20_000
  for (let round = 0; ; round++) {
    const start = process.cpuUsage()
    for (let read = 0; read < reads; read++) await store.passports.find({ id: random.whole(1, passports) })
    // The first round warms up.
    if (round === 1) return milliseconds(process.cpuUsage(start)) / reads
  }
}

/** The longest that the event loop does not come round while keywords are looked up, sixteen at a time. */
async function measureHoldUp(): Promise<number> {
  const words = Object.values(kinds).flatMap((kind) =>
    kind.slice(0, 40).map((word) => `${word} `.trimStart()),
  )
  let searching = true
  const gaps: number[] = []
  const watch = async () => {
    for (let last = performance.now(); searching; ) {
      await new Promise(setImmediate)
      gaps.push(performance.now() - last)
      last = performance.now()
    }
  }
  const search = async () => {
    for (let keyword = words.pop(); keyword !== undefined; keyword = words.pop()) {
      await store.passports.list({ page: 1, size: 25, keyword })
    }
  }
  const watching = watch()
  await Promise.all(Array.from({ length: 16 }, search))
  searching = false
  await watching
  return percentile(gaps, 0.999)
}

/** Waits until the store has nothing left to do. */
async function calm(): Promise<void> {
  for (;;) {
    const before = process.cpuUsage()
    await Bun.sleep(300)
    if (milliseconds(process.cpuUsage(before)) < 15) return
    await store.passports.list({ page: 1, size: 1, keyword: undefined })
  }
}

/** The processor's, not the clock's: others may be at work on this machine. */
function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}

function resident(): number {
  Bun.gc(true)
  return Math.round(process.memoryUsage.rss() / 1e6)
}
