/** `npm run bench`: measures every part and fills bench/RESULTS.md. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { tempFolder } from '../test/support/temp-folder.ts'
import { DATA_FOLDER } from './data-sets/data-set.ts'
import { refuse, requireProgram } from './support/options.ts'
import { printResult, type Result, writeMarkdown } from './support/report.ts'

/** Each part is also a program with more options. */
const PARTS = ['reads', 'filters', 'writes', 'webhooks', 'as-of', 'import-and-rescore']

const HELP = `npm run bench -- [options]

Measures passportd on this machine and checks the goals of docs/performance.md. Needs Linux and wrk.
The first run creates its data sets in BENCH_DATA (${DATA_FOLDER}); later runs use them again.

  --only PART,...  ${PARTS.join(', ')}
  --passports N    passports of the parts reads and filters (default 1000000)
  --rounds N       rounds of each part (by default 3 or 5)
  --seconds N      duration of each load
  --markdown       write the results to bench/RESULTS.md
  --help           print this help
`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: PARTS.join() },
    passports: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const { only, markdown, help, ...shared } = values
if (help) {
  console.log(HELP)
  process.exit(0)
}
requireProgram('wrk', 'wrk')
const parts = only.split(',')
for (const part of parts)
  if (!PARTS.includes(part)) refuse(`--only got "${part}"; it accepts ${PARTS.join(', ')}.`)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

const result: Result = { figures: [], series: [] }
const failed: string[] = []
for (const part of parts) {
  console.error(`Part ${part}`)
  const measured = await runPart(part)
  if (!measured) failed.push(part)
  result.figures.push(...(measured?.figures ?? []))
  result.series.push(...(measured?.series ?? []))
}
printResult(result)
if (markdown) writeMarkdown(result)
// A part that fails does not end the others.
if (failed.length > 0) {
  console.error(`These parts failed: ${failed.join(', ')}`)
  process.exit(1)
}

async function runPart(part: string): Promise<Result | undefined> {
  using folder = tempFolder()
  const file = join(folder.path, 'result.json')
  const options = Object.entries(shared).map(([name, value]) => `--${name}=${value}`)
  const child = Bun.spawn([process.execPath, join(import.meta.dir, `${part}.ts`), ...options], {
    env: { ...process.env, BENCH_RESULT: file },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  })
  process.on('exit', () => child.kill())
  // JSON has no NaN, which stands for a load without a response.
  const revive = (_: string, value: unknown) => value ?? Number.NaN
  return (await child.exited) === 0 ? JSON.parse(readFileSync(file, 'utf8'), revive) : undefined
}
