/**
 * How fast records come in, go out and are scored again, each beside a bare loop that moves the same rows without us,
 * in the same run; and how much memory an import takes as its input grows.
 *
 *   npx bun bench/records.ts [--records 50000] [--rounds 3] [--memory 10000,1000000]
 */
import { Database } from 'bun:sqlite'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { presentRecord } from '../src/ingest/export.ts'
import { openSqlite } from '../src/store/sqlite/open.ts'
import { bareExport, bareImport, bareRescore } from './bare-records.ts'
import { manyPeople } from './many-people.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    memory: { type: 'string', default: '10000,1000000' },
  },
})
const records = Number(values.records)
const rounds = Number(values.rounds)
const folder = mkdtempSync(join(tmpdir(), 'passportd-bench-'))
const main = join(import.meta.dir, '../src/cli/main.ts')
const file = (name: string) => join(folder, name)

try {
  writePeople(file('people.jsonl'), records)
  const table: Record<string, { ours: number[]; bare: number[] }> = {
    import: { ours: [], bare: [] },
    export: { ours: [], bare: [] },
    rescore: { ours: [], bare: [] },
  }
  for (let round = 0; round < rounds; round++) {
    const [ours, bare] = [file(`ours-${round}.db`), file(`bare-${round}.db`)]
    table.import?.ours.push(rateOf(await passportd(ours, 'import', file('people.jsonl'))))
    openSqlite(bare).close()
    table.import?.bare.push(rate(() => bareImport(bare, manyPeople(records))))
    table.export?.ours.push(rateOf(await passportd(ours, 'export', file('out.jsonl'))))
    table.export?.bare.push(rate(() => bareExport(bare, file('bare.jsonl'))))
    markStale(ours)
    table.rescore?.ours.push(rateOf(await passportd(ours, 'score')))
    table.rescore?.bare.push(rate(() => bareRescore(bare)))
    for (const path of [ours, bare])
      for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  }
  const rows = Object.entries(table).map(([what, { ours, bare }]) => ({
    what,
    'records a second': Math.round(median(ours)),
    'bare loop': Math.round(median(bare)),
    ratio: Number((median(ours) / median(bare)).toFixed(2)),
    spread: `${Math.round(Math.min(...ours))}-${Math.round(Math.max(...ours))}`,
  }))
  console.table(rows)
  const memory = []
  for (const count of String(values.memory).split(',').map(Number)) memory.push(await measureMemory(count))
  console.table(memory)
  console.log(JSON.stringify({ records, rounds, rows, memory }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

type Run = { seconds: number; megabytes: number }

/** Includes the start of the process, as an operator's time does. */
async function passportd(database: string, ...args: string[]): Promise<Run> {
  const begin = performance.now()
  const child = Bun.spawn([process.execPath, main, ...args], {
    env: { DATABASE_URL: `sqlite:${database}` },
    stdin: 'ignore',
    stderr: 'ignore',
  })
  if ((await child.exited) !== 0) throw new Error(`passportd ${args[0]} failed`)
  return {
    seconds: (performance.now() - begin) / 1000,
    megabytes: (child.resourceUsage()?.maxRSS ?? 0) / 1024 / 1024,
  }
}

function rateOf({ seconds }: Run): number {
  return records / seconds
}

function rate(work: () => void): number {
  const begin = performance.now()
  work()
  return records / ((performance.now() - begin) / 1000)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function writePeople(path: string, count: number): void {
  const out = openSync(path, 'w')
  let text = ''
  for (const person of manyPeople(count)) {
    text += `${JSON.stringify(presentRecord(person))}\n`
    if (text.length < 1_000_000) continue
    writeSync(out, text)
    text = ''
  }
  writeSync(out, text)
  closeSync(out)
}

function markStale(path: string): void {
  const database = new Database(path)
  database.run('update passports set stale = 1')
  database.close()
}

async function measureMemory(count: number) {
  const path = file(`memory-${count}.jsonl`)
  writePeople(path, count)
  const database = file(`memory-${count}.db`)
  const { seconds, megabytes } = await passportd(database, 'import', path)
  for (const end of ['', '-wal', '-shm']) rmSync(database + end, { force: true })
  rmSync(path)
  return {
    records: count,
    'most memory (MB)': Math.round(megabytes),
    'records a second': Math.round(count / seconds),
  }
}
