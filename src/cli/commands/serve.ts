import type { UsageReport } from '../../api/usage.ts'
import { urlOf } from '../../api/wire/server.ts'
import { type Config, readConfig, unknownSettings } from '../../config.ts'
import { nameDatabase, namePostgres } from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/format.ts'
import { inventPeople } from '../../ingest/demo/people.ts'
import { createLog } from '../../log.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { openCounters } from '../../serve/counting.ts'
import { startCrew } from '../../serve/crew.ts'
import { createDoors } from '../../serve/doors.ts'
import { listen, SERVING } from '../../serve/listener.ts'
import { openMetrics } from '../../serve/open-metrics.ts'
import { startScorer } from '../../serve/scorer.ts'
import { aborted, asked, onHangUp } from '../../serve/signals.ts'
import { work } from '../../serve/worker.ts'
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
  // Not for people: makes the process one of the workers of another.
  worker: { type: 'boolean', default: false },
  counters: { type: 'string' },
} as const

/** Serves until the process is asked to end. */
export async function serve(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('serve', args, OPTIONS)
  if (values.help) return terminal.out(SERVE_HELP)
  if (values.worker && !process.connected) throw new UsageError('Say how many: passportd serve --workers N.')
  refuseExtra('serve', positionals)
  const workers = parseWorkers(values.workers, process.platform)
  const demo = values.demo === true
  const config = readConfig(terminal.env, { demo })
  const log = createLog({ write: terminal.log, json: !terminal.interactive, now: terminal.now })
  if (values.worker) return work(config, { now: terminal.now, log, memory: values.counters })
  const started = Promise.withResolvers<() => Promise<void>>()
  // A terminal that is closed sends it too. Asked for before there is anything to renew, it is not to end us.
  if (!terminal.interactive) onHangUp(async () => (await started.promise)())
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)

  const rules = await loadRules(config.rules)

  const store = await openStore(config.database, { ...SERVING, onNotice: (sentence) => log.warn(sentence) })
  try {
    await refuseHalfCopy(store, nameDatabase(config.database))
    if (demo) await fillWithPeople(store, terminal.now())
    // Workers count for themselves.
    using counters = await openCounters(workers > 1 ? {} : config, { now: terminal.now, log })
    const metrics = openMetrics(config, store, terminal.now)
    const keepUsage = (report: UsageReport) => scorer.keepUsage(report)
    const doors = workers > 1 ? createDoors(config, workers) : undefined
    const listener = doors
      ? undefined
      : await listen({
          config,
          store,
          now: terminal.now,
          log,
          counters,
          rules,
          keepUsage,
          metrics: metrics?.metrics,
        })
    // A process that cannot serve must not put its rule set in force.
    const score = () => startScorer({ database: config.database, rules: config.rules }, log)
    let scorer = score()
    const url = urlOf(config.host, doors?.port ?? listener?.server.port ?? config.port)
    const end = asked()
    const crew =
      doors &&
      (await startCrew(doors, { demo, env: terminal.env, end, log, keepUsage, metrics: metrics?.crew }))

    async function renew(): Promise<void> {
      if (!crew) return log.warn('SIGHUP is for workers, of which there are none here: nothing was done.')
      log.info('Workers are replaced, one after the other.')
      try {
        await loadRules(config.rules)
      } catch (error) {
        return log.error(`The workers stay as they are: ${(error as Error).message}`)
      }
      if (!(await crew.renew())) return
      const former = scorer
      scorer = score()
      await former.stop()
      log.info('All workers have been replaced.')
    }
    started.resolve(renew)
    if (!end.aborted)
      terminal.out(await greeting(url, config, store, { demo, workers, metrics: metrics?.url }))
    await aborted(end)
    await (crew?.ended ?? listener?.drain())
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
  return count
}
