import { parseArgs } from 'node:util'
import { SCENARIOS } from './all-scenarios.ts'
import { type Outcome, runScenario, type Scenario } from './run-scenario.ts'

const HELP = `npm run stress -- [options]

Runs scenarios with kills, full disks, hostile clients and failing servers on this machine. Prints a table of results,
and with --short a line for each scenario. The exit code is 1 if a check failed, and 2 if an option is wrong.

  --short          run the short form of each scenario except slow ones, three at a time, as .ci/run does
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

/** Scenarios mostly wait, so several run at once. */
const SCENARIOS_AT_ONCE = options.short ? 3 : 2

async function runOne(scenario: Scenario): Promise<Outcome> {
  const times = Number(options.times ?? (options.short ? scenario.short : scenario.long))
  const report = (line: string) => console.error(`${scenario.name}: ${line}`)
  if (!options.short) report(`${scenario.title}, repeated ${times} times`)
  try {
    return await runScenario(scenario, times, { report, isShort: options.short })
  } catch (error) {
    report(Bun.inspect(error))
    return { count: 0, failures: 1, note: 'aborted' }
  }
}

const selected = SCENARIOS.filter(
  ({ name, isSlow }) => options.only?.includes(name) ?? !(options.short && isSlow),
)
const rows: string[] = []
let hasFailed = false

async function runSelected(remaining: Iterator<[number, Scenario]>): Promise<void> {
  for (let { value, done } = remaining.next(); !done; { value, done } = remaining.next()) {
    const [at, scenario] = value
    const begin = performance.now()
    const { count, failures, note = '' } = await runOne(scenario)
    const seconds = Math.round((performance.now() - begin) / 1000)
    // A scenario that completed no repetition has verified nothing.
    const isFailed = failures > 0 || count === 0
    hasFailed ||= isFailed
    console.error(`${scenario.name}: ${isFailed ? 'FAILED' : 'passed'} after ${seconds} s`)
    const times = count.toLocaleString('en')
    rows[at] = `| ${scenario.title} | ${times} | ${failures} | ${note} | ${seconds} s |`
  }
}

const remaining = selected.entries()
await Promise.all(Array.from({ length: SCENARIOS_AT_ONCE }, () => runSelected(remaining)))
if (!options.short)
  console.log(
    ['| scenario | times | failures | notes | time |', '| --- | ---: | ---: | --- | ---: |', ...rows].join(
      '\n',
    ),
  )
process.exit(hasFailed ? 1 : 0)
