/**
 * What a keyword costs that nobody has asked for before, beside plain SQL with LIKE on folded names and beside a page without
 * one; how long it holds up others, and how much memory the names take. The store alone, without HTTP.
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

/** There are more keywords than the store remembers: each is new to it in every round. */
const ROUNDS = 3

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

const rows = []
const all: number[] = []
/** For each keyword the least of some rounds: others may be at work on this machine. The first round warms up. */
const times = new Map<string, number>()
for (let round = 0; round <= ROUNDS; round++) {
  for (const keyword of Object.values(kinds).flat()) {
    const start = performance.now()
    await find(keyword)
    const time = performance.now() - start
    if (round > 0) times.set(keyword, Math.min(time, times.get(keyword) ?? time))
  }
}
for (const [what, words] of Object.entries(kinds)) rows.push({ what, ...(await describe(words)) })
const pages = await measurePages()
const figures = {
  passports,
  'list is there after (ms)': Math.round(listReady),
  'names are there after (ms)': Math.round(namesReady),
  'resident before, after (MB)': `${residentBefore}, ${residentAfter}`,
  'a page without keyword, mean (µs)': Math.round(mean(pages) * 1000),
  'all keywords, mean (µs)': Math.round(mean(all) * 1000),
  'all keywords, p99 (µs)': Math.round(percentile(all, 0.99) * 1000),
  'hold-up by sixteen at a time, p99 and longest (ms)': await measureHoldUp(),
}
console.table(rows)
console.table(figures)
console.log(JSON.stringify({ ...figures, rows }))
await store.close()

async function describe(words: readonly string[]) {
  const ours = words.map((word) => times.get(word) ?? Number.NaN)
  all.push(...ours)
  const likes: number[] = []
  let matches = 0
  for (const [at, keyword] of words.entries()) {
    const { items, total } = await find(keyword)
    matches += total
    if (at >= LIKE_KEYWORDS) continue
    const start = performance.now()
    const expected = like(keyword)
    likes.push(performance.now() - start)
    if (expected.total !== total || `${expected.ids}` !== `${items.map(({ id }) => id)}`) {
      throw new Error(`"${keyword}" has ${total} matches, not ${expected.total}, or others`)
    }
  }
  return {
    keywords: words.length,
    matches: Math.round(matches / words.length),
    'mean (µs)': Math.round(mean(ours) * 1000),
    'p99 (µs)': Math.round(percentile(ours, 0.99) * 1000),
    'LIKE (µs)': Math.round(mean(likes) * 1000),
    'times faster': Math.round(mean(likes) / mean(ours)),
  }
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

async function measurePages(): Promise<number[]> {
  const random = createRandom(3)
  const times: number[] = []
  for (let read = 0; read < 1000; read++) {
    const start = performance.now()
    await store.passports.list({ page: random.whole(1, passports / 25), size: 25, keyword: undefined })
    times.push(performance.now() - start)
  }
  return times
}

/** How long the event loop does not come round while many keywords are looked up at once. */
async function measureHoldUp(): Promise<string> {
  const words = Object.values(kinds).flatMap((kind) =>
    kind.slice(0, 50).map((word) => `${word.slice(0, 1)} ${word}`),
  )
  let isSearching = true
  const times: number[] = []
  const watch = async () => {
    while (isSearching) {
      const start = performance.now()
      await new Promise(setImmediate)
      times.push(performance.now() - start)
    }
  }
  const search = async () => {
    for (let word = words.pop(); word !== undefined; word = words.pop()) await find(word)
  }
  const watching = watch()
  await Promise.all(Array.from({ length: 16 }, search))
  isSearching = false
  await watching
  return [percentile(times, 0.99), Math.max(...times)].map((time) => time.toFixed(2)).join(', ')
}

function find(keyword: string) {
  return store.passports.list({ page: 1, size: 25, keyword })
}

/** Waits until the store has nothing left to do. */
async function calm(): Promise<void> {
  for (;;) {
    const before = process.cpuUsage()
    await Bun.sleep(300)
    const { user, system } = process.cpuUsage(before)
    if (user + system < 15_000) return
    await store.passports.list({ page: 1, size: 1, keyword: undefined })
  }
}

function resident(): number {
  Bun.gc(true)
  return Math.round(process.memoryUsage.rss() / 1e6)
}
