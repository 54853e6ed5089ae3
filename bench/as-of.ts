/**
 * Compares the CPU time of reads with and without `as_of`. The passports changed several times after the `as_of` time.
 *
 *   npx bun bench/as-of.ts [--changes 5] [--rounds 5] [--seconds 2]
 */
import { join } from 'node:path'
import { openStore } from '../src/core/store/open.ts'
import { tempFolder } from '../test/support/temp-folder.ts'
import { saveChange } from './data-sets/data-set-with-history.ts'
import { createKey } from './support/api-key.ts'
import { figureOf } from './support/figures.ts'
import { measurementOf } from './support/measurements.ts'
import { readOptions, requireProgram } from './support/options.ts'
import { printResult } from './support/report.ts'
import { runRounds } from './support/rounds.ts'
import { startOurs } from './support/servers.ts'
import { loadOf } from './support/wrk.ts'

const { changes, rounds, seconds } = readOptions({ changes: 5, rounds: 5, seconds: 2 })

const PASSPORTS = 10_000
const BEGIN = Date.UTC(2026, 0, 1)
const DAY = 86_400_000

requireProgram('wrk', 'wrk')
using folder = tempFolder()
const path = join(folder.path, 'as-of.db')
const store = await openStore({ engine: 'sqlite', path })
await createKey(store)
for (let change = 0; change <= changes; change++)
  await saveChange(store, PASSPORTS, change, BEGIN + change * DAY)
await store.database.close()
await using server = await startOurs(`sqlite:${path}`)

const READS = { passport: '?', credentials: '?include=credentials&' }
const target = (query: string) => loadOf(`'/api/v3/passports/' .. math.random(1, ${PASSPORTS}) .. '${query}'`)
const measurements = Object.entries(READS).flatMap(([read, query]) => [
  measurementOf('now', read, server, target(query)),
  measurementOf('as_of', read, server, target(`${query}as_of=${new Date(BEGIN + 1).toISOString()}`)),
])
const series = await runRounds(measurements, { rounds, seconds })
const cpuOf = (side: string, read: string) =>
  series.find((one) => one.side === side && one.read === read)?.samples.map(({ cpu = Number.NaN }) => cpu) ??
  []
const figures = Object.keys(READS).map((read) => {
  const ratios = cpuOf('as_of', read).map((cpu, round) => cpu / (cpuOf('now', read)[round] ?? cpu))
  return figureOf(`${read}, as_of before ${changes} changes / now: CPU`, '', ratios, { most: 3 })
})
printResult({ figures, series: [] })
process.exit()
