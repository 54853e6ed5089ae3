import { parseArgs } from 'node:util'
import type { Outcome, Part } from './part.ts'
import { PARTS } from './parts.ts'

const HELP = `npm run torture: what passportd must live through, many times over, on this machine

  npm run torture                       every part, its long form; ends with 1 where anything was lost
  npm run torture -- --short            as the tests do it
  npm run torture -- --only NAME        a part alone; may be given again
  npm run torture -- --times NUMBER     so many times

Parts
${PARTS.map(({ name, what }) => `  ${name.padEnd(18)} ${what}`).join('\n')}
`

const options = readOptions()
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const unknown = options.only?.find((name) => !PARTS.some((part) => part.name === name))
if (unknown !== undefined) fail(`There is no part "${unknown}". See "npm run torture -- --help".`)
if (options.times !== undefined && !/^[1-9]\d{0,8}$/.test(options.times))
  fail(`--times is ${JSON.stringify(options.times)}: a whole number from 1 is needed.`)

function readOptions() {
  try {
    return parseArgs({
      options: {
        only: { type: 'string', multiple: true },
        short: { type: 'boolean', default: false },
        times: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values
  } catch (error) {
    return fail(`${(error as Error).message.split(/\.\s|\n/, 1)[0]}. See "npm run torture -- --help".`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(2)
}

async function runPart(part: Part): Promise<Outcome> {
  const times = Number(options.times ?? (options.short ? part.short : part.long))
  console.error(`${part.name}: ${part.what}, ${times} times`)
  try {
    return await part.run(times, (line) => console.error(`  ${line}`))
  } catch (error) {
    console.error(error)
    return { count: 0, lost: 1, note: 'it broke off' }
  }
}

const rows: string[] = []
let isLost = false
for (const part of PARTS) {
  if (options.only && !options.only.includes(part.name)) continue
  const begin = performance.now()
  const { count, lost, note } = await runPart(part)
  const seconds = Math.round((performance.now() - begin) / 1000)
  // What was not done has shown nothing.
  isLost ||= lost > 0 || count === 0
  rows.push(`| ${part.what} | ${count.toLocaleString('en')} | ${lost} | ${note ?? ''} | ${seconds} s |`)
}
console.log(
  ['| what | how many | lost | seen | took |', '| --- | ---: | ---: | --- | ---: |', ...rows].join('\n'),
)
process.exit(isLost ? 1 : 0)
