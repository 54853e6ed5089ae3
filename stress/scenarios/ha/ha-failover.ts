import { signal } from '../../../test/support/postgres/postgres-process.ts'
import { hasPrograms } from '../../../test/support/programs.ts'
import { until } from '../../../test/support/wait-until.ts'
import type { Fail, Scenario } from '../../run-scenario.ts'
import { startReaders, type Target } from '../../support/postgres-readers.ts'
import { type Cluster, startCluster } from './ha-cluster.ts'

const WRITERS = 2
/** After the election of a leader, a write is acknowledged within this time. */
const LATEST_WRITE_MILLISECONDS = 3000
/** A fault that is shorter than this may end before a node notices it: a frozen server is silent for 5 s. */
const NOTICED_MILLISECONDS = { kill: 2000, freeze: 8000, node: 2000 }

type Fault = keyof typeof NOTICED_MILLISECONDS
const FAULTS = Object.keys(NOTICED_MILLISECONDS) as Fault[]

/** Passports that the writers do not change. */
const FIXED = Array.from({ length: 30 }, (_, at) => ({ passport_id: at + 1, score: 100_000 - at }))
const FIRST_WRITTEN = 1000

const wholeBody = (body: unknown) => body
const TARGETS: readonly Target[] = [
  { path: '/api/v1/passports/7', fixed: wholeBody },
  { path: '/api/v3/passports/9', fixed: wholeBody },
  { path: '/api/v1/passports?per_page=10&page=2', fixed: ({ passports }) => passports },
]

export const haFailover: Scenario = {
  name: 'ha-failover',
  title:
    'the leader of deploy/ha killed, frozen with its Patroni, or killed with it and gone: reads succeed, no write is lost',
  long: 21,
  short: 3,
  isSlow: true,
  async run(times, fail, exceed) {
    if (!hasPrograms('etcd', 'haproxy', 'patroni')) return { count: times, note: 'skipped' }
    await using cluster = await startCluster()
    const writing = await startWriters(cluster)
    await until(() => isScored(cluster), 'the scores of all passports')
    // HAProxy limits requests without a key.
    const reading = await startReaders([cluster.url], TARGETS, { fail, exceed, key: cluster.key })
    const outages: Outage[] = []
    for (let round = 0; round < times; round++)
      outages.push(
        await failOver(cluster, FAULTS[round % FAULTS.length] as Fault, writing.acknowledged, fail),
      )
    await reading.end()
    await writing.end()
    const { responses, unavailable, slowest } = reading.counts
    if (unavailable > 0) fail(`${unavailable} of ${responses} reads got 503`)
    const lost = await countLost(cluster, [...writing.acknowledged.keys()])
    if (lost > 0) fail(`${lost} acknowledged writes are lost`)
    const longest = (part: 'election' | 'write', kind?: Fault) => {
      const found = outages.filter((outage) => outage.kind === (kind ?? outage.kind))
      return (Math.max(...found.map((outage) => outage[part])) / 1000).toFixed(1)
    }
    const elections = [...new Set(outages.map(({ kind }) => kind))].map(
      (kind) => `${longest('election', kind)} s from a ${kind} to the election`,
    )
    return {
      count: times,
      note: `${responses.toLocaleString('en')} reads, the slowest after ${slowest} ms; ${writing.acknowledged.size.toLocaleString('en')} acknowledged writes; at most ${elections.join(' and ')}, then ${longest('write')} s until a write`,
    }
  },
}

/** Milliseconds from the fault to the election, and from there to the first acknowledged write. */
type Outage = { kind: Fault; election: number; write: number }

async function failOver(
  cluster: Cluster,
  kind: Fault,
  acknowledged: ReadonlyMap<number, number>,
  fail: Fail,
): Promise<Outage> {
  const leader = await cluster.untilSynchronous()
  const watch = watchNodes(cluster, (problem) => fail(`${kind}: ${problem}`))
  const pids = leader.processes()
  const begin = performance.now()
  // A supervisor that is stopped does not start Patroni again.
  if (kind === 'node') signal('SIGSTOP', [pids.supervisor])
  if (kind === 'freeze') signal('SIGSTOP', [pids.patroni, ...pids.postgres])
  else signal('SIGKILL', kind === 'node' ? [pids.patroni, ...pids.postgres] : pids.postgres)
  try {
    await until(() => cluster.hasOtherLeader(leader.name), 'another leader')
    const elected = performance.now()
    const firstWrite = () => [...acknowledged.values()].find((time) => time > elected)
    await until(() => firstWrite() !== undefined, 'an acknowledged write')
    const write = (firstWrite() as number) - elected
    if (write > LATEST_WRITE_MILLISECONDS)
      fail(`${kind}: no write for ${Math.round(write)} ms after the election`)
    if (elected - begin > NOTICED_MILLISECONDS[kind] && !watch.hasReported())
      fail(`${kind}: no node reported that writes fail`)
    await until(watch.isWritable, 'both nodes to report that writes work')
    return { kind, election: elected - begin, write }
  } finally {
    if (kind === 'freeze') signal('SIGCONT', [...pids.postgres, pids.patroni])
    if (kind === 'node') signal('SIGCONT', [pids.supervisor])
    await watch.end()
  }
}

/** Scoring changes responses, so the readers begin after it. */
async function isScored({ url }: Cluster): Promise<boolean> {
  const page = await (await fetch(`${url}/api/v1/passports?per_page=${FIXED.length}`)).text()
  return page.includes(`"score":${FIXED.at(-1)?.score}`) && !page.includes('"calculating_score":true')
}

/** Reads what the nodes and their metrics report about reads and writes. Reads must always be possible. */
function watchNodes({ nodes }: Cluster, fail: Fail) {
  const latest = new Map<string, boolean>()
  const reported = new Set<string>()
  let isOver = false

  function note(what: string, text: string, reads: string, failing: string): void {
    if (!text.includes(reads)) fail(`${what} reports that reads fail: ${text.slice(0, 200)}`)
    latest.set(what, !text.includes(failing))
    if (text.includes(failing)) reported.add(what)
  }
  async function watch({ url, metrics }: Cluster['nodes'][number]): Promise<void> {
    while (!isOver) {
      const [ready, store] = await Promise.all(
        [`${url}/ready`, metrics].map(async (each) => (await fetch(each)).text()),
      )
      note(url, ready as string, '"status":"ready"', '"writes":"unavailable"')
      // The alerts PassportdDown and PassportdWritesFail depend on these values.
      note(
        metrics,
        store as string,
        'passportd_store_up{part="reads"} 1',
        'passportd_store_up{part="writes"} 0',
      )
      await Bun.sleep(100)
    }
  }

  const watching = Promise.all(nodes.map(watch)).catch((error) => fail(`a node does not respond: ${error}`))
  return {
    hasReported: () => reported.size === 2 * nodes.length,
    isWritable: () => latest.size === 2 * nodes.length && [...latest.values()].every(Boolean),
    async end() {
      isOver = true
      await watching
    },
  }
}

/** Writes passports, each until it is acknowledged. `acknowledged` has the passport ids and the times. */
async function startWriters({ url, key }: Cluster) {
  const acknowledged = new Map<number, number>()
  let next = FIRST_WRITTEN
  let isOver = false
  const send = async (records: readonly object[]): Promise<boolean> => {
    const response = await fetch(`${url}/api/v3/records`, {
      method: 'POST',
      body: records.map((record) => `${JSON.stringify(record)}\n`).join(''),
      headers: { 'X-API-KEY': key, 'Content-Type': 'application/x-ndjson' },
    }).catch(() => undefined)
    await response?.text()
    return response?.status === 200
  }
  const write = async () => {
    while (!isOver) {
      const id = next++
      while (!isOver && !acknowledged.has(id)) {
        if (await send([{ passport_id: id, score: id }])) acknowledged.set(id, performance.now())
        await Bun.sleep(20)
      }
    }
  }
  if (!(await send(FIXED))) throw new Error('The first records were refused.')
  const writing = Array.from({ length: WRITERS }, write)
  return {
    acknowledged,
    async end() {
      isOver = true
      await Promise.all(writing)
    },
  }
}

async function countLost({ export: readAll }: Cluster, ids: readonly number[]): Promise<number> {
  const stored = new Set<unknown>()
  for (const line of (await readAll()).trim().split('\n')) {
    const { passport_id, score } = JSON.parse(line)
    if (passport_id === score) stored.add(passport_id)
  }
  return ids.filter((id) => !stored.has(id)).length
}
