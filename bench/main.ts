/** `npm run bench`: see docs/performance.md and --help. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteDataSet } from './support/data-set.ts'
import { figuresOf } from './support/figures.ts'
import { mixedKeywords } from './support/keywords.ts'
import { describeMachine } from './support/machine.ts'
import { measurementOf, searchMeasurements } from './support/measurements.ts'
import { readOptions, requireProgram } from './support/options.ts'
import { startPeer } from './support/peer-server.ts'
import { unmappedMegabytes } from './support/process-stats.ts'
import { isOfMinimal, loadsOf, samplePaths } from './support/read-loads.ts'
import { printReport, type Report, writeMarkdown } from './support/report.ts'
import { type Measurement, runRounds } from './support/rounds.ts'
import { checkSameBodies, startMinimal, startOurs } from './support/servers.ts'

const options = readOptions(process.argv.slice(2))
requireProgram('wrk', 'wrk')
if (options.peer) requireProgram('npm', 'npm')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

const report = await measure()
printReport(report)
writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`)
console.log(`Results as JSON: ${options.json}`)
if (options.markdown) writeMarkdown(join(import.meta.dir, '../docs/performance.md'), report)

async function measure(): Promise<Report> {
  const { passports, fewer, rounds, seconds, reads } = options
  const path = await openDataSet(passports)
  await using started = new AsyncDisposableStack()
  const ours = started.use(await startOurs(path))
  const minimal = started.use(await startMinimal(path, ours))
  await checkSameBodies(ours, minimal, samplePaths(passports))
  const loads = loadsOf(passports, mixedKeywords(passports))
  const measurements: Measurement[] = []
  // Samples that are compared must be taken at nearly the same time.
  for (const read of reads) {
    if (isOfMinimal(read)) measurements.push(measurementOf('minimal', read, minimal, loads[read]))
    measurements.push(measurementOf('ours', read, ours, loads[read]))
    if (read !== 'by-id') continue
    if (fewer < passports) {
      const server = started.use(await startOurs(await openDataSet(fewer)))
      measurements.push(measurementOf('fewer', read, server, loadsOf(fewer, [])[read]))
    }
    if (options.peer) {
      const peer = started.use(await startPeer(path, passports))
      await checkSameBodies(ours, peer, samplePaths(passports).slice(0, 2))
      measurements.push(measurementOf('peer', read, peer, loads[read]))
    }
  }
  if (options.search) measurements.push(...searchMeasurements(ours, loads))
  const series = await runRounds(measurements, options)
  const megabytes = unmappedMegabytes(ours.pid)
  return {
    machine: describeMachine(),
    options: { passports, fewer, rounds, seconds },
    figures: figuresOf({ series, passports, fewer, megabytes }),
    series,
  }
}

/** Reads the file once to fill the page cache: the bench does not measure the disk. */
async function openDataSet(passports: number): Promise<string> {
  const path = await sqliteDataSet(passports)
  await Bun.$`cat ${path} > /dev/null`
  return path
}
