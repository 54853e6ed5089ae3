/**
 * Compares reads of passportd with those of a minimal server on Bun.serve and bun:sqlite.
 *
 *   npx bun bench/reads.ts [--passports 1000000] [--fewer 10000] [--rounds 5] [--seconds 2]
 *     --only READ,...   only these reads: by-id, by-wallet, ...
 *     --no-search       no keyword search
 */
import { sqliteDataSet } from './data-sets/data-set.ts'
import { startPersistentPostgres } from './data-sets/reused-postgres.ts'
import { figuresOf } from './support/figures.ts'
import { mixedKeywords } from './support/keywords.ts'
import { measurementOf, searchMeasurements } from './support/measurements.ts'
import { readOptions, refuse, requireProgram } from './support/options.ts'
import { unmappedMegabytes } from './support/process-stats.ts'
import { isOfMinimal, isRead, loadsOf, READS, type Read, samplePaths } from './support/read-loads.ts'
import { printResult } from './support/report.ts'
import { type Measurement, runRounds } from './support/rounds.ts'
import { checkSameBodies, startMinimal, startOnPostgres, startOurs, startWithTls } from './support/servers.ts'

const { passports, fewer, rounds, seconds, only, search } = readOptions({
  passports: 1_000_000,
  fewer: 10_000,
  rounds: 5,
  seconds: 2,
  only: READS.join(),
  search: true,
})
const reads = only.split(',').map((name): Read => {
  if (!isRead(name)) refuse(`--only got "${name}"; it accepts ${READS.join(', ')}.`)
  return name
})
requireProgram('wrk', 'wrk')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))

await using started = new AsyncDisposableStack()
const [path, smaller] = [await openDataSet(passports), await openDataSet(fewer)]
const ours = started.use(await startOurs(`sqlite:${path}`))
const minimal = started.use(await startMinimal(path, ours))
await checkSameBodies(ours, minimal, samplePaths(passports))
const loads = loadsOf(passports, mixedKeywords(passports))
const measurements: Measurement[] = []
// Samples that are compared must be taken at nearly the same time.
for (const read of reads) {
  if (isOfMinimal(read)) measurements.push(measurementOf('minimal', read, minimal, loads[read]))
  measurements.push(measurementOf('ours', read, ours, loads[read]))
  if (read === 'by-id') measurements.push(...(await otherServers()))
}
if (search) measurements.push(...searchMeasurements(ours, loads))
const series = await runRounds(measurements, { rounds, seconds })
// The runtime releases the memory of the last load within seconds.
await Bun.sleep(15_000)
const megabytes = unmappedMegabytes(ours.pid)
printResult({ figures: figuresOf({ series, passports, fewer, megabytes }), series })
process.exit()

/** Reads by id of other servers, all but one with fewer passports. */
async function otherServers(): Promise<Measurement[]> {
  const postgres = await startPersistentPostgres()
  started.defer(postgres.stop)
  const servers = {
    TLS: started.use(await startWithTls(`sqlite:${path}`)),
    fewer: started.use(await startOurs(`sqlite:${smaller}`)),
    PostgreSQL: started.use(await startOnPostgres(postgres, fewer)),
  }
  return Object.entries(servers).map(([side, server]) => {
    const load = loadsOf(side === 'TLS' ? passports : fewer, [])['by-id']
    return measurementOf(side, 'by-id', server, load)
  })
}

/** Reads the file once to fill the page cache: the bench does not measure the disk. */
async function openDataSet(count: number): Promise<string> {
  const path = await sqliteDataSet(count)
  await Bun.$`cat ${path} > /dev/null`
  return path
}
