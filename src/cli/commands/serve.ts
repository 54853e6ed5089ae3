import type { UsageReport } from '../../api/usage.ts'
import { type Config, readConfig, unknownSettings } from '../../config.ts'
import { nameDatabase, namePostgres } from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/format.ts'
import { inventPeople } from '../../ingest/demo/people.ts'
import { createLog } from '../../log.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { openCounter } from '../../serve/counting.ts'
import { listen, SERVING } from '../../serve/listener.ts'
import { openMetrics } from '../../serve/open-metrics.ts'
import { startScorer } from '../../serve/scorer.ts'
import { aborted, asked, onHangUp } from '../../serve/signals.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { PROGRAM, VERSION } from '../../version.ts'
import { SERVE_HELP } from '../command-help.ts'
import type { Terminal } from '../terminal.ts'
import { DATABASE_OPTIONS, parseOptions, refuseExtra, UsageError } from '../usage.ts'
import { refuseHalfCopy } from './copy.ts'

const OPTIONS = {
  ...DATABASE_OPTIONS,
  workers: { type: 'string', default: '1' },
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
  // A terminal that is closed sends it too.
  if (!terminal.interactive) onHangUp(async () => log.warn('SIGHUP: there is nothing to renew.'))
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)

  const rules = await loadRules(config.rules)

  const store = await openStore(config.database, { ...SERVING, onNotice: (sentence) => log.warn(sentence) })
  try {
    await refuseHalfCopy(store, nameDatabase(config.database))
    if (demo) await fillWithPeople(store, terminal.now())
    using counter = await openCounter(config, { now: terminal.now, log })
    const metrics = openMetrics(config, store, terminal.now)
    const keepUsage = (report: UsageReport) => scorer.keepUsage(report)
    const listener = await listen({
      config,
      store,
      now: terminal.now,
      log,
      counter,
      rules,
      keepUsage,
      metrics: metrics?.metrics,
    })
    // A process that cannot serve must not put its rule set in force.
    const scorer = startScorer({ database: config.database, rules: config.rules }, log)
    const { url } = listener.server
    const end = asked()
    if (!end.aborted)
      terminal.out(await greeting(url, config, store, { demo, workers, metrics: metrics?.url }))
    await aborted(end)
    await listener.drain()
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
Make a key:  ${PROGRAM} keys create ${flag}--name me
`
}

const MOST_WORKERS = 64

export function parseWorkers(text: string, platform: NodeJS.Platform): number {
  const count = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MOST_WORKERS)
    throw new UsageError(`--workers must be a whole number from 1 to ${MOST_WORKERS}, got "${text}".`)
  // Elsewhere one of the sockets on a port gets every connection.
  if (count > 1 && platform !== 'linux')
    throw new CommandError(`--workers ${count} needs Linux, which shares connections out: leave it away.`)
  if (count > 1) throw new CommandError('--workers is not available in this build: leave it away.')
  return count
}
