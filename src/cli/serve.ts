import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, readConfig, unknownSettings } from '../config.ts'
import { nameDatabase, namePostgres } from '../domain/database-address.ts'
import { COUNTERS_BYTES } from '../http/counters.ts'
import type { UsageReport } from '../http/usage.ts'
import { inventPeople } from '../ingest/demo/people.ts'
import { createLog, type Log } from '../log.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { refuseHalfCopy } from './copy.ts'
import { openCounters } from './counting.ts'
import type { CrewMetrics } from './crew-metrics.ts'
import { SERVE_HELP } from './help.ts'
import { type Listener, listen, SERVING } from './listener.ts'
import { openMetrics } from './open-metrics.ts'
import { loadRules } from './rules.ts'
import { startScorer } from './scorer.ts'
import { aborted, asked } from './signals.ts'
import type { Terminal } from './terminal.ts'
import { DATABASE_OPTIONS, parseOptions, refuseExtra } from './usage.ts'
import { VERSION } from './version.ts'
import { count } from './words.ts'
import { work } from './worker.ts'
import { parseWorkers, startWorkers } from './workers.ts'

const OPTIONS = {
  ...DATABASE_OPTIONS,
  workers: { type: 'string', default: '1' },
  // Not for people: makes the process one of the workers of another.
  worker: { type: 'boolean', default: false },
  counters: { type: 'string' },
} as const

/** Serves until the process is asked to end. */
export async function serve(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('serve', args, OPTIONS)
  if (values.help) return terminal.out(SERVE_HELP)
  refuseExtra('serve', positionals)
  const workers = parseWorkers(values.workers, process.platform)
  const demo = values.demo === true
  const config = readConfig(terminal.env, { demo })
  const log = createLog({ write: terminal.log, json: !terminal.interactive, now: terminal.now })
  if (values.worker) return work(config, { now: terminal.now, log, memory: values.counters })
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)

  const rules = await loadRules(config.rules)

  const store = await openStore(config.database, { ...SERVING, onNotice: (sentence) => log.warn(sentence) })
  try {
    await refuseHalfCopy(store, nameDatabase(config.database))
    if (demo) await fillWithPeople(store, terminal.now())
    // Workers count for themselves.
    using counters = await openCounters(workers > 1 ? {} : config, { now: terminal.now, log })
    const metrics = openMetrics(config, store, terminal.now)
    const listener = await listen({
      config,
      store,
      now: terminal.now,
      log,
      counters,
      rules,
      keepUsage: (report) => scorer.keepUsage(report),
      metrics: metrics?.metrics,
    })
    // A process that cannot serve must not put its rule set in force.
    const scorer = startScorer({ database: config.database, rules: config.rules }, log)
    const { url } = listener.server
    const end = asked()
    const crew =
      workers > 1
        ? await handOver(listener, workers, {
            demo,
            env: terminal.env,
            end,
            log,
            keepUsage: scorer.keepUsage,
            metrics: metrics?.crew,
          })
        : undefined
    if (!end.aborted)
      terminal.out(await greeting(url, config, store, { demo, workers, metrics: metrics?.url }))
    await aborted(end)
    await (crew ? crew.ended : listener.drain())
    await metrics?.stop()
    // The last counts are kept before it ends.
    await scorer.stop()
  } finally {
    await store.close()
  }
}

async function fillWithPeople(store: Store, now: number): Promise<void> {
  const people = inventPeople().map((passport) => ({ kind: 'passport' as const, passport }))
  await store.records.saveIfEmpty(people, { now, restore: false })
}

type Handing = {
  demo: boolean
  env: Terminal['env']
  end: AbortSignal
  log: Log
  keepUsage: (report: UsageReport) => void
  metrics: CrewMetrics | undefined
}

/** Lets go of the port for workers to share. It was had alone first: no other server is on it, and its number is known. */
async function handOver(listener: Listener, workers: number, { demo, env, ...order }: Handing) {
  const port = String(listener.server.port)
  await listener.drain()
  const args = [...(demo ? ['--demo'] : []), '--counters', shareMemory()]
  return startWorkers(workers, { ...order, args, env: { ...env, PORT: port } })
}

/** Room for the counters of all workers, by a name that holds while this process lives: killed, it leaves no file behind. */
function shareMemory(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passportd-'))
  try {
    const file = openSync(join(folder, 'counters'), 'wx+', 0o600)
    writeSync(file, new Uint8Array(COUNTERS_BYTES))
    return `/proc/${process.pid}/fd/${file}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function replicaOf({ database }: Config): string {
  if (database.engine === 'sqlite' || database.readUrl === undefined) return ''
  return `  Replica    ${namePostgres(database.readUrl)}\n`
}

async function greeting(
  url: URL,
  config: Config,
  store: Store,
  { demo, workers, metrics }: { demo: boolean; workers: number; metrics: string | undefined },
): Promise<string> {
  const { total } = await store.passports.list({ page: 1, size: 1, keyword: undefined })
  const address = url.origin
  const flag = demo ? '--demo ' : ''
  return `passportd ${VERSION} serves ${count(total, 'passport')} from ${nameDatabase(config.database)}

${config.explorer ? `  Explorer   ${address}/\n` : ''}  API        ${address}/api/v1/passports
  Reference  ${address}/reference
  Health     ${address}/health
  Keys       ${config.requireKey ? 'required' : 'optional'}
${metrics ? `  Metrics    ${metrics}\n` : ''}${workers > 1 ? `  Workers    ${workers}\n` : ''}${replicaOf(config)}
Try it:      curl ${config.requireKey ? '-H "X-API-KEY: $KEY" ' : ''}'${address}/api/v1/passports?per_page=3'
Make a key:  npm run -s passportd -- keys create ${flag}--name me
`
}
