import { parseArgs } from 'node:util'
import { type Outcome, runScenario, type Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

const HELP = `npm run stress -- [options]

Runs scenarios with kills, full disks, hostile clients and failing servers on this machine, and prints a table of results.
The exit code is 1 if a check failed, and 2 if an option is wrong.

  --short          run the short form of each scenario, as the tests do
  --only NAME      run this scenario; may be given several times
  --times NUMBER   repeat each scenario this many times
  -h, --help       print this help

Scenarios:
${SCENARIOS.map(({ name, title }) => `  ${name.padEnd(18)} ${title}`).join('\n')}
`

const options = readOptions()
if (options.help) {
  console.log(HELP)
  process.exit(0)
}
const unknown = options.only?.find((name) => !SCENARIOS.some((scenario) => scenario.name === name))
if (unknown !== undefined)
  exit(`--only got "${unknown}", which is not a scenario. "npm run stress -- --help" lists the scenarios.`)
if (options.times !== undefined && !/^[1-9]\d{0,8}$/.test(options.times))
  exit(`--times got "${options.times}"; it must be a whole number from 1 to 999999999.`)

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
    return exit(`${(error as Error).message.split(/\.\s|\n/, 1)[0]}. See "npm run stress -- --help".`)
  }
}

function exit(message: string): never {
  console.error(message)
  process.exit(2)
}

async function runOne(scenario: Scenario): Promise<Outcome> {
  const times = Number(options.times ?? (options.short ? scenario.short : scenario.long))
  console.error(`${scenario.name}: ${scenario.title}, repeated ${times} times`)
  try {
    return await runScenario(scenario, times, (line) => console.error(`  ${line}`))
  } catch (error) {
    console.error(error)
    return { count: 0, failures: 1, note: 'aborted' }
  }
}

const rows: string[] = []
let hasFailed = false
for (const scenario of SCENARIOS) {
  if (options.only && !options.only.includes(scenario.name)) continue
  const begin = performance.now()
  const { count, failures, note } = await runOne(scenario)
  const seconds = Math.round((performance.now() - begin) / 1000)
  // A scenario without repetitions has verified nothing.
  hasFailed ||= failures > 0 || count === 0
  rows.push(
    `| ${scenario.title} | ${count.toLocaleString('en')} | ${failures} | ${note ?? ''} | ${seconds} s |`,
  )
}
console.log(
  ['| scenario | times | failures | notes | time |', '| --- | ---: | ---: | --- | ---: |', ...rows].join(
    '\n',
  ),
)
process.exit(hasFailed ? 1 : 0)
