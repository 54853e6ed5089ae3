/** `npm run bench`: see docs/performance.md, and --help. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from './measure.ts'
import { figuresOf } from './suite/figures.ts'
import { describeMachine } from './suite/machine.ts'
import { measure } from './suite/measuring.ts'
import { readOptions } from './suite/options.ts'
import { printReport, writeMarkdown } from './suite/report.ts'

const options = readOptions(process.argv.slice(2))
needs(['wrk'], 'wrk')
if (options.parts.has('postgres')) needs(['pgbench'], 'postgresql-contrib')
if (options.parts.has('peer')) needs(['node'], 'nodejs')

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
const measured = await measure(options)
const { passports, growth, rounds, seconds } = options
const report = {
  machine: describeMachine(),
  options: { passports, growth, rounds, seconds },
  sizes: measured.sizes,
  figures: figuresOf(measured),
  turns: measured.turns.all(),
}
printReport(report)
writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
console.log(`The figures are in ${options.json}`)
if (options.markdown) writeMarkdown(join(import.meta.dir, '../docs/performance.md'), report)
