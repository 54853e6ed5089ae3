import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_FOLDER } from './data-set.ts'
import { READS, type Read, V3_READS, type V3Read } from './read-loads.ts'

const NAMES = [...Object.keys(READS), ...Object.keys(V3_READS)]

const HELP = `npm run bench -- [options]

Compares passportd with a minimal server on Bun.serve and bun:sqlite, and checks the goals of docs/performance.md.
Needs Linux and wrk (Debian: apt-get install wrk).
The first run creates its data sets in BENCH_DATA (${DATA_FOLDER}); later runs use them again.

  --passports N    passports in the data set (default 1000000)
  --fewer N        passports in the smaller data set, which shows the effect of the size (default 10000)
  --rounds N       measured rounds, after one warm-up round (default 5)
  --seconds N      duration of each load (default 2)
  --only READ,...  measure only these reads: ${NAMES.join(', ')}
  --no-peer        skip the peer, Fastify on PostgreSQL, which needs node and npm
  --no-search      skip keyword search
  --json FILE      write the results to FILE (default bench-results.json in BENCH_DATA)
  --markdown       write the results to docs/performance.md, too
  --help           print this help
`

export type Options = ReturnType<typeof readOptions>

/** Exits with 2 and a message if an option is wrong. */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    allowNegative: true,
    options: {
      passports: { type: 'string', default: '1000000' },
      fewer: { type: 'string', default: '10000' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string', default: NAMES.join() },
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
  if (!/^[1-9]\d{0,8}$/.test(text))
    refuse(`--${name} got "${text}"; it must be a whole number from 1 to 999999999.`)
  return Number(text)
}

function parseRead(name: string): Read | V3Read {
  if (!NAMES.includes(name)) refuse(`--only got "${name}"; it accepts ${NAMES.join(', ')}.`)
  return name as Read | V3Read
}

function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}

/** Exits with 1 and a message if a program is missing. */
export function requireProgram(program: string, debianPackage: string): void {
  if (Bun.which(program)) return
  console.error(`${program} is not installed. On Debian, run: apt-get install ${debianPackage}`)
  process.exit(1)
}
