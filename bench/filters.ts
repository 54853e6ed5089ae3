/**
 * Measures v3 lists with filters and with groups. The first run creates the data set of `npm run bench`.
 *
 *   npx bun bench/filters.ts [--passports 1000000] [--rounds 5] [--seconds 2]
 */
import { createLocalIndex } from '../src/core/cli/local-index.ts'
import { parseFilter } from '../src/core/lists/filter.ts'
import { formatCursor, type ListQuery, parseSort } from '../src/core/lists/list-request.ts'
import { openStore } from '../src/core/store/open.ts'
import { sqliteDataSet } from './data-sets/data-set.ts'
import { KEY_HEADERS } from './support/api-key.ts'
import { type Figure, figureOf } from './support/figures.ts'
import { measurementOf } from './support/measurements.ts'
import { readOptions, requireProgram } from './support/options.ts'
import { unmappedMegabytes } from './support/process-stats.ts'
import { loadsOf } from './support/read-loads.ts'
import { printResult } from './support/report.ts'
import { runRounds, type Sample, type Series } from './support/rounds.ts'
import { type Server, startOurs } from './support/servers.ts'
import { type Load, loadOf, runWrk } from './support/wrk.ts'

const { passports, rounds, seconds } = readOptions({ passports: 1_000_000, rounds: 5, seconds: 2 })

const LIST = '/api/v3/passports'
const FILTER = 'human:true,type:github|ens,tag:!bot'
const PAGE = 25
/** Many names contain this keyword. Pages with a keyword are not cached, so each request reads its passports again. */
const KEYWORD = 'a'
const QUERY: ListQuery = { keyword: KEYWORD, filter: parseFilter(FILTER), sort: parseSort() }

requireProgram('wrk', 'wrk')
printResult({ figures: await measure(), series: [] })
process.exit()

async function measure(): Promise<Figure[]> {
  const path = await sqliteDataSet(passports)
  const build = await measureBuild(path)
  await using server = await startOurs(`sqlite:${path}`)
  await waitForIndex(server)
  const loads = await filterLoads(server)
  const byId = loadsOf(passports, [])['by-id-paced']
  const series = await runRounds(
    [
      ...Object.entries(loads).map(([read, load]) => measurementOf('ours', read, server, load)),
      measurementOf('ours', 'by-id', server, byId),
      {
        side: 'ours',
        read: 'by-id-during',
        run: (time, round) => runDuring(server, loads.new, byId, time, round),
      },
    ],
    { rounds, seconds },
  )
  return [...figuresOf(series), ...build]
}

/** Builds the index in this process, and measures the time and the memory. */
async function measureBuild(path: string): Promise<Figure[]> {
  const store = await openStore({ engine: 'sqlite', path }, { migrate: false })
  Bun.gc(true)
  const before = unmappedMegabytes(process.pid)
  const [begin, cpu] = [performance.now(), process.cpuUsage()]
  const index = createLocalIndex(store)
  await index.call('list', { request: { ...QUERY, limit: PAGE } })
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - begin) / 1000
  Bun.gc(true)
  const megabytes = unmappedMegabytes(process.pid) - before
  await store.database.close()
  return [
    figureOf('build of the index: CPU seconds', '', [(user + system) / 1e6], { most: 5 }),
    figureOf('build of the index: seconds', '', [seconds]),
    figureOf('memory of the index', 'MB', [megabytes]),
  ]
}

async function waitForIndex(server: Server): Promise<void> {
  while ((await get(server, { filter: FILTER })).status === 503) await Bun.sleep(100)
}

function get({ url }: Server, parameters: Record<string, string>): Promise<Response> {
  return fetch(`${url}${LIST}?${new URLSearchParams(parameters)}`, { headers: KEY_HEADERS })
}

type ListItem = { score: number; passport_id: number }

async function filterLoads(server: Server) {
  const parameters = { q: KEYWORD, filter: FILTER }
  const response = await get(server, { ...parameters, sort: 'score', limit: String(PAGE + 1) })
  const { items } = (await response.json()) as { items: ListItem[] }
  const last = items[PAGE] as ListItem
  const cursor = formatCursor(QUERY, { value: last.score, id: last.passport_id })
  const load = (more: Record<string, string>) =>
    loadOf(`'${LIST}?${new URLSearchParams({ ...parameters, ...more })}'`, 4)
  return {
    first: load({}),
    last: load({ cursor }),
    grouped: load({ group_by: 'type' }),
    // Each request has a different filter.
    new: loadOf(`'${LIST}?filter=human:true,score:%3E' .. math.random(1, 1000000) / 10000`, 4),
  }
}

/** Measures `load` while `other` runs. */
async function runDuring(
  server: Server,
  other: Load,
  load: Load,
  time: number,
  round: number,
): Promise<Sample> {
  const running = runWrk(server.url, other, time + 2, round)
  await Bun.sleep(1000)
  const sample = await runWrk(server.url, load, time, round * 1_000_000)
  await running
  return sample
}

function figuresOf(series: readonly Series[]): Figure[] {
  const samplesOf = (read: string) => series.find((one) => one.read === read)?.samples ?? []
  const ratio = (one: string, other: string, of: (sample: Sample) => number) =>
    samplesOf(one).map((sample, round) => of(sample) / of(samplesOf(other)[round] ?? sample))
  const cpu = (sample: Sample) => sample.cpu ?? Number.NaN
  return [
    figureOf('filtered list, last page / first page: CPU', '', ratio('last', 'first', cpu), { most: 1.2 }),
    figureOf('filtered list, with groups / without: CPU', '', ratio('grouped', 'first', cpu)),
    figureOf(
      'new filters',
      'a second',
      samplesOf('new').map(({ rate }) => rate),
    ),
    figureOf(
      'by id: p99 during new filters / without',
      '',
      ratio('by-id-during', 'by-id', ({ p99 }) => p99),
      { most: 2 },
    ),
  ]
}
