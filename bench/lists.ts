/**
 * Measures the index of lists: build, save, load, memory, filters, keywords, groups, near misses and changes.
 *
 *   npx bun bench/lists.ts [--passports 1000000] [--varied]
 */
import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findList, findMatches, type ListRequest } from '../src/core/index/find.ts'
import { findNearMisses, nameAt } from '../src/core/index/names.ts'
import { createPassportIndex, type PassportIndex } from '../src/core/index/passport-index.ts'
import { toBits } from '../src/core/index/posting.ts'
import { replacePassports, reserve, trimPostings } from '../src/core/index/replace.ts'
import { loadIndex, saveIndex } from '../src/core/index/save.ts'
import type { Filter } from '../src/core/lists/filter.ts'
import type { ListingRow } from '../src/core/store/sql/listing.ts'
import { createRandom } from '../test/support/random.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { listingRows, variedRows } from './data-sets/listing-rows.ts'
import { type Figure, figureOf } from './support/figures.ts'
import { readOptions } from './support/options.ts'
import { unmappedMegabytes } from './support/process-stats.ts'
import { printResult } from './support/report.ts'

const { passports, varied, copy } = readOptions({ passports: 1_000_000, varied: false, copy: '' })

const BATCH = 2000
const random = createRandom(2)
const figures: Figure[] = []
const BY_SCORE = { field: 'score', descending: true } as const

if (copy === '') await measureBuild()
else await measureCopy()

/** A second process loads the copy, because the first one has memory that only a build needs. */
async function measureBuild(): Promise<void> {
  const index = buildIndex()
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  figures.push(figureOf('peak of a build, with the program', 'MB', [peak], { most: 700 }))
  const [longest, chunks] = measure('save', () => saveAll(index))
  figures.push(figureOf('save: longest step, ms', '', [longest], { most: 50 }))
  const bytes = chunks.reduce((sum, { length }) => sum + length, 0)
  figures.push(figureOf('save: size', 'MB', [bytes / 1e6]))
  printResult({ figures, series: [] })
  using folder = tempFolder()
  const file = join(folder.path, 'copy')
  writeFileSync(file, Buffer.concat(chunks))
  const options = varied ? ['--varied'] : []
  Bun.spawnSync([process.execPath, import.meta.path, '--copy', file, ...options], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

async function measureCopy(): Promise<void> {
  const before = liveMegabytes()
  const begin = threadMilliseconds()
  const loaded = await loadIndex(readChunks(copy))
  figures.push(figureOf('load: CPU s', '', [(threadMilliseconds() - begin) / 1000]))
  if (!loaded) throw new Error('The saved index could not be loaded.')
  const { index } = loaded
  const report = (name: string, most: number) =>
    figures.push(figureOf(name, 'MB', [liveMegabytes() - before], { most }))
  report('memory after a load', 230)
  measure('first list', () => findList(index, { filter: [], sort: BY_SCORE, limit: 25 }))
  measureLists(index)
  report('memory after all lists', 230)
  measureChanges(index)
  printResult({ figures, series: [] })
}

/** All chunks but the last one are of the same size. */
function* readChunks(file: string): Generator<Uint8Array> {
  const descriptor = openSync(file, 'r')
  for (;;) {
    const chunk = new Uint8Array(1_000_000)
    const length = readSync(descriptor, chunk)
    if (length > 0) yield chunk.subarray(0, length)
    if (length < chunk.length) return closeSync(descriptor)
  }
}

/** The CPU time of this thread, which other programs on the machine do not change. It advances in steps of some milliseconds. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** The shortest of three times, because other programs interrupt this one. Nothing of a list is cached. */
function shortestTime(call: () => unknown): number {
  const times = [1, 2, 3].map(() => {
    const begin = performance.now()
    call()
    return performance.now() - begin
  })
  return Math.min(...times)
}

function measure<T>(name: string, work: () => T): T {
  const begin = threadMilliseconds()
  const result = work()
  figures.push(figureOf(`${name}: CPU s`, '', [(threadMilliseconds() - begin) / 1000]))
  return result
}

/** Resident memory without what the garbage collector frees. */
function liveMegabytes(): number {
  for (let round = 0; round < 3; round++) {
    Bun.gc(true)
    // The runtime returns free pages after a short time.
    Bun.sleepSync(500)
  }
  return unmappedMegabytes(process.pid)
}

/** The time does not include that of inventing the people. */
function buildIndex(): PassportIndex {
  const built = createPassportIndex()
  reserve(built, passports)
  let rows: ListingRow[] = []
  let milliseconds = 0
  const time = (work: () => void) => {
    const begin = threadMilliseconds()
    work()
    milliseconds += threadMilliseconds() - begin
  }
  const add = () => {
    time(() => replacePassports(built, [], rows))
    rows = []
  }
  for (const row of (varied ? variedRows : listingRows)(passports)) if (rows.push(row) === BATCH) add()
  add()
  time(() => trimPostings(built))
  figures.push(figureOf('build: CPU s', '', [milliseconds / 1000]))
  return built
}

function saveAll(index: PassportIndex): [longest: number, chunks: Uint8Array[]] {
  const chunks: Uint8Array[] = []
  let longest = 0
  let begin = performance.now()
  for (const chunk of saveIndex(index, 'bench-1')) {
    longest = Math.max(longest, performance.now() - begin)
    chunks.push(chunk)
    begin = performance.now()
  }
  return [longest, chunks]
}

type Goals = { median?: number; p95?: number }

/** Measures different calls one by one, after some that are not counted. */
function measureCalls(name: string, count: number, next: () => () => unknown, goals: Goals = {}): void {
  for (let at = 0; at < 20; at++) next()()
  const times = Array.from({ length: count }, () => shortestTime(next())).toSorted(
    (one, other) => one - other,
  )
  const at = (share: number) => times[Math.floor(share * (count - 1))] as number
  const goalOf = (most?: number) => (most === undefined ? undefined : { most })
  figures.push(figureOf(`${name}: median ms`, '', [at(0.5)], goalOf(goals.median)))
  figures.push(figureOf(`${name}: p95 ms`, '', [at(0.95)], goalOf(goals.p95)))
  figures.push(figureOf(`${name}: slowest ms`, '', [at(1)]))
}

function measureLists(index: PassportIndex): void {
  const values = {
    tag: keysOf(index, 'tag'),
    location: keysOf(index, 'location'),
    type: keysOf(index, 'type'),
    source: keysOf(index, 'source'),
  }
  type Field = keyof typeof values
  const text = (field: Field): Filter[number] => ({
    field,
    conditions: [{ not: random.chance(0.1), operator: '=', value: random.pick(values[field]) }],
  })
  const human = (): Filter[number] => ({
    field: 'human',
    conditions: [{ not: false, operator: '=', value: 'true' }],
  })
  const score = (): Filter[number] => ({
    field: random.pick(['score', 'skills_score'] as const),
    conditions: [
      { not: false, operator: random.pick(['>', '<='] as const), value: random.whole(0, 20_000) / 100 },
    ],
  })
  const points = (): Filter[number] => ({
    field: 'points',
    conditions: [{ not: false, operator: '>', value: random.whole(1, 30), type: random.pick(values.type) }],
  })
  const list =
    (filter: Filter, more: Partial<ListRequest> = {}) =>
    () =>
      findList(index, { filter, sort: BY_SCORE, limit: 25, ...more })
  const FIELDS = ['tag', 'location', 'type', 'source'] as const
  const kinds = [...FIELDS.map((field) => () => text(field)), human, score, points]
  const twoTerms = () => list(random.sample(kinds, 2).map((kind) => kind()))
  measureCalls('filters of two terms', 400, twoTerms, { median: 1, p95: 4 })
  measureCalls('filters of two texts', 400, () => list(random.sample(FIELDS, 2).map(text)))
  measureCalls('filters of a text and a score', 400, () => list([text(random.pick(FIELDS)), score()]))
  measureCalls('keywords', 200, () => list([], { keyword: someKeyword(index) }), { median: 1.5 })
  for (const field of ['tag', 'type', 'location'] as const)
    measureCalls(`groups by ${field}`, 50, () => list([text('type')], { groups: [{ field }] }), { median: 8 })
  measureCalls('ranks of a page', 100, () => list([text('type'), human()], { ranks: [10] }))
  const byPoints = () => ({ ...BY_SCORE, pointsFor: random.pick(values.type) })
  measureCalls('lists by points', 100, () => list([human()], { sort: byPoints() }))
  measureCalls('page 10,000 of a filter', 50, () => list([human()], { offset: 250_000 }))
  const all = toBits(findMatches(index, { filter: [] }), index.count)
  const nearMisses = () => {
    const word = misspell(someWord(index, 5))
    return () => findNearMisses(index.names, word, all)
  }
  measureCalls('near misses', 200, nearMisses, { p95: 15 })
}

/** Common values as often as rare ones. */
function keysOf(index: PassportIndex, field: 'tag' | 'location' | 'type' | 'source'): string[] {
  const sorted = [...index.values[field]]
    .filter(([key]) => key !== '')
    .sort(([, one], [, other]) => other.count - one.count)
  return [...sorted.slice(0, 100), ...random.sample(sorted, Math.min(100, sorted.length))].map(([key]) => key)
}

function someWord(index: PassportIndex, least: number): string {
  for (;;) {
    const words = nameAt(index.names, random.whole(0, index.count - 1)).split(' ')
    const word = words.find(({ length }) => length >= least)
    if (word) return word
  }
}

function someKeyword(index: PassportIndex): string {
  const letters = [...someWord(index, 3)]
  const start = random.whole(0, letters.length - 3)
  return letters.slice(start, start + random.whole(3, 9)).join('')
}

/** One edit. */
function misspell(word: string): string {
  const letters = [...word]
  letters.splice(random.whole(0, letters.length - 1), random.whole(0, 1), random.pick(['q', 'a', 'e']))
  return letters.join('')
}

function measureChanges(index: PassportIndex): void {
  const rows = [...(varied ? variedRows : listingRows)(20_000)]
  for (const count of [1, 100, 5000]) {
    const change = () => {
      const changed = random.sample(rows, count).map((row) => ({ ...row, score: row.score + 1 }))
      const ids = changed.map(({ id }) => id)
      replacePassports(index, ids, changed)
    }
    measure(`${count} changed passports`, change)
    measure(`first list after ${count} changes`, () =>
      findList(index, { filter: [], sort: BY_SCORE, limit: 25 }),
    )
  }
}
