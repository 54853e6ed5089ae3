/**
 * Compares the CPU time of import and rescoring with that of an earlier commit. Both versions
 * run alternately, on the same records. The process start is included.
 *
 *   npx bun bench/import-and-rescore.ts [--records 20000] [--rounds 3] [--against fe7427c]
 */
import { Database } from 'bun:sqlite'
import { closeSync, existsSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DEFAULT_RULES } from '../src/core/scoring/stamped-rule-set.ts'
import { presentRecord } from '../src/features/records/export.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { manyPeople } from './data-sets/data-set.ts'
import { checkOut } from './support/check-out.ts'
import { bytesPerEvent } from './support/event-bytes.ts'
import { figureOf } from './support/figures.ts'
import { readOptions } from './support/options.ts'
import { printResult } from './support/report.ts'

const ROOT = join(import.meta.dir, '..')

const { records, rounds, against } = readOptions({ records: 20_000, rounds: 3, against: 'fe7427c' })

type Rates = { import: number[]; rescore: number[]; bytes: number[] }

using folder = tempFolder()
const people = join(folder.path, 'people.jsonl')
const rules = join(folder.path, 'rules.json')
writePeople()
writeRules()
const earlier = await checkOut(against, join(folder.path, 'earlier'))
const ours: Rates = { import: [], rescore: [], bytes: [] }
const theirs: Rates = { import: [], rescore: [], bytes: [] }
for (let round = 0; round < rounds; round++) {
  console.error(`Round ${round + 1} of ${rounds}`)
  await measure(ROOT, ours)
  await measure(earlier, theirs)
}
const figures = (['import', 'rescore'] as const).flatMap((command) => [
  figureOf(`${command}: this version`, 'a second of CPU', ours[command]),
  figureOf(`${command}: ${against}`, 'a second of CPU', theirs[command]),
  figureOf(
    `${command}: this version / ${against}`,
    '',
    ours[command].map((rate, round) => rate / (theirs[command][round] ?? rate)),
  ),
])
figures.push(figureOf('event in the file, with its index', 'bytes', ours.bytes))
printResult({ figures, series: [] })

async function measure(root: string, rates: Rates): Promise<void> {
  const database = join(folder.path, 'people.db')
  rates.import.push(await rateOf(root, database, ['import', people], /([\d,]+) added/))
  rates.rescore.push(await rateOf(root, database, ['score', '--all'], /Scored ([\d,]+) passport/))
  // Earlier commits have no event log.
  if (root === ROOT) rates.bytes.push(bytesPerEvent(new Database(database)))
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
}

/** Returns how many records a command processes per CPU second. Throws if the command did not process all records. */
async function rateOf(root: string, database: string, args: string[], done: RegExp): Promise<number> {
  const main = ['src/main.ts', 'src/cli/main.ts'].map((path) => join(root, path)).find(existsSync) as string
  const child = Bun.spawn([process.execPath, '--smol', main, ...args], {
    cwd: folder.path,
    env: { DATABASE_URL: `sqlite:${database}`, RULES: rules },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const output = await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()))
  const code = await child.exited
  const seconds = Number(child.resourceUsage()?.cpuTime.total) / 1e6
  const count = Number(done.exec(output.join('\n'))?.[1]?.replaceAll(',', ''))
  if (code !== 0 || count !== records)
    throw new Error(`${args.join(' ')} in ${root} failed:\n${output.join('\n')}`)
  return records / seconds
}

function writePeople(): void {
  const file = openSync(people, 'w')
  for (const person of manyPeople(records)) writeSync(file, `${JSON.stringify(presentRecord(person))}\n`)
  closeSync(file)
}

/** Raises maximum scores, so that rescoring changes every credential. Omits levels, which earlier commits refuse. */
function writeRules(): void {
  const { stamp: _, levels: __, ...shape } = DEFAULT_RULES
  const types = Object.entries(shape.types).map(([type, rule]) => [
    type,
    { ...rule, max_score: rule.max_score + 1 },
  ])
  writeFileSync(rules, JSON.stringify({ ...shape, version: 'bench', types: Object.fromEntries(types) }))
}
