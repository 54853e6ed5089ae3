import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { DATA_FOLDER } from '../data-set.ts'
import { READS, type Read } from './reads.ts'

export const PARTS = {
  ceilings: 'servers of constant answers, which are the most that could be reached',
  growth: 'the same reads on fewer passports',
  keywords: 'plain LIKE on the same data; keywords of all kinds; reads by id meanwhile',
  peer: 'the program of bench/peer, on PostgreSQL',
  postgres: 'by id on PostgreSQL beside pgbench (needs pgbench; Debian: postgresql-contrib)',
  start: 'time from start to ready, memory',
  records: 'import and rescoring',
} as const

export type Part = keyof typeof PARTS

export type Options = {
  passports: number
  growth: number
  rounds: number
  seconds: number
  reads: readonly Read[]
  parts: ReadonlySet<Part>
  json: string
  markdown: boolean
}

const MILLION = 1_000_000

const HELP = `npm run bench -- [options]

Measures passportd beside what could be reached at most and beside what one would write instead, in turns.
Needs Linux and wrk (Debian: wrk). Data sets are kept in BENCH_DATA (${DATA_FOLDER}) and used again.

  --passports N    how many there are (1000000). The first run makes them, which takes a while
  --growth N       how many there are for comparison (10000, above a million 1000000)
  --rounds N       turns that each subject has, after one to warm up (5)
  --seconds N      length of a turn (2)
  --only READ,...  only these reads: ${Object.keys(READS).join(', ')};
                   above a million all but credentials, which such sets have not
  --parts PART,... only these parts beside the reads themselves; all, above a million those without peer, postgres, records:
${Object.entries(PARTS)
  .map(([name, words]) => `                   ${name.padEnd(9)} ${words}`)
  .join('\n')}
  --json FILE      where the figures go (bench-results.json in BENCH_DATA)
  --markdown       puts the figures into docs/performance.md, too
`

/** Says what is wrong and ends where an option will not do. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      passports: { type: 'string', default: `${MILLION}` },
      growth: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      only: { type: 'string' },
      parts: { type: 'string' },
      json: { type: 'string', default: join(DATA_FOLDER, 'bench-results.json') },
      markdown: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit(0)
  }
  const passports = parseCount('passports', values.passports)
  const isLarge = passports > MILLION
  const heavy: readonly string[] = ['peer', 'postgres', 'records']
  const reads = Object.keys(READS).filter((read) => !isLarge || read !== 'credentials')
  const usual = Object.keys(PARTS).filter((part) => !isLarge || !heavy.includes(part))
  return {
    passports,
    growth: parseCount('growth', values.growth ?? `${isLarge ? MILLION : 10_000}`),
    rounds: parseCount('rounds', values.rounds),
    seconds: parseCount('seconds', values.seconds),
    reads: parseNames('only', values.only ?? reads.join(), READS),
    parts: new Set(parseNames('parts', values.parts ?? usual.join(), PARTS)),
    json: values.json,
    markdown: values.markdown,
  }
}

function parseCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) refuse(`--${name} must be a whole number from 1, got "${text}".`)
  return Number(text)
}

function parseNames<T extends string>(option: string, text: string, known: Record<T, string>): T[] {
  const names = text.split(',').filter((name) => name !== '')
  const wrong = names.find((name) => !Object.hasOwn(known, name))
  if (wrong !== undefined) refuse(`--${option} knows ${Object.keys(known).join(', ')}, got "${wrong}".`)
  return names as T[]
}

function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}
