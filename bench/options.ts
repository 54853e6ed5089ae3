import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_FOLDER } from './data-set.ts'
import { READS, type Read } from './reads.ts'

const HELP = `npm run bench -- [options]

Compares passportd with the smallest program on Bun.serve and bun:sqlite, in turns, and checks the goals of docs/performance.md.
Needs Linux and wrk (Debian: wrk). Data sets are kept in BENCH_DATA (${DATA_FOLDER}) and reused.

  --passports N    passports in the data set (1000000); the first run builds it
  --fewer N        passports in the data set for comparison by size (10000)
  --rounds N       measured rounds, after one that warms up (5)
  --seconds N      length of a load (2)
  --only READ,...  these reads only: ${Object.keys(READS).join(', ')}
  --no-peer        without Fastify on PostgreSQL, which needs node and npm
  --no-search      without keywords
  --json FILE      file for the figures (bench-results.json in BENCH_DATA)
  --markdown       writes the figures to docs/performance.md, too
`

export type Options = ReturnType<typeof readOptions>

/** Exits with a message if an option is wrong. */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      passports: { type: 'string', default: '1000000' },
      fewer: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string', default: Object.keys(READS).join() },
      peer: { type: 'boolean', default: true },
      search: { type: 'boolean', default: true },
      json: { type: 'string', default: join(DATA_FOLDER, 'bench-results.json') },
      markdown: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  return {
    ...values,
    passports: parseCount('passports', values.passports),
    fewer: parseCount('fewer', values.fewer),
    rounds: parseCount('rounds', values.rounds),
    seconds: parseCount('seconds', values.seconds),
    reads: values.only.split(',').map(parseRead),
  }
}

export function parseCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) refuse(`--${name} must be a whole number from 1, got "${text}".`)
  return Number(text)
}

function parseRead(name: string): Read {
  if (!Object.hasOwn(READS, name)) refuse(`--only takes ${Object.keys(READS).join(', ')}, got "${name}".`)
  return name as Read
}

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

/** Exits if a program is missing. */
export function requireProgram(program: string, debianPackage: string): void {
  if (Bun.which(program)) return
  console.error(`${program} is missing. Debian: apt-get install ${debianPackage}`)
  process.exit(1)
}
