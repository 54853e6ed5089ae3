import { createServer } from 'node:net'
import { type Config, readConfig, unknownSettings } from '../../config.ts'
import { nameDatabase, namePostgres } from '../../domain/database-address.ts'
import { CommandError } from '../../domain/errors.ts'
import { count } from '../../domain/text/format.ts'
import { inventPeople } from '../../ingest/demo/people.ts'
import { createLog } from '../../log.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { type Service, startService } from '../../serve/service.ts'
import { shutdownSignal, waitForAbort } from '../../serve/shutdown-signal.ts'
import { SERVE_TIMEOUT } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { PROGRAM, VERSION } from '../../version.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../args.ts'
import { createMigrationLog } from '../migration-log.ts'
import { openWhole } from '../open-store.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  ...DATABASE_OPTIONS,
  workers: { type: 'string', default: '1' },
} as const

/** Serves until the process is asked to end. */
export async function serve(args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseOptions('serve', args, OPTIONS)
  const workers = parseWorkers(values.workers, process.platform)
  const { demo = false } = values
  const config = readConfig(terminal.env, { demo })
  const log = createLog({ write: terminal.log, json: !terminal.interactive, now: terminal.now })
  const started = Promise.withResolvers<Service>()
  // A terminal that is closed sends it too. Before the start is complete it must not end the process.
  if (!terminal.interactive) process.on('SIGHUP', async () => (await started.promise).renewTls())
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)
  // A rule set with a mistake stops the command, not a thread.
  await loadRules(config.rules)

  await using store = await openWhole(config.database, {
    ...SERVE_TIMEOUT,
    onNotice: (sentence) => log.warn(sentence),
    onMigrate: createMigrationLog(log.info, terminal.now),
  })
  if (demo) await fillWithPeople(store, terminal.now())
  const isPortShared = await isShared(config)
  const end = shutdownSignal()
  const service = await startService({ config, workers, store, log, now: terminal.now })
  started.resolve(service)
  if (isPortShared) log.warn(SHARED_PORT)
  if (!end.aborted) terminal.out(greeting(service, config, { demo, workers }))
  await waitForAbort(end)
  await service.stop()
}

const SHARED_PORT =
  'Another process listens on this port: both get connections. That is right for an upgrade on the same database only.'

/** Whether another process has the port. If it does not share it, the service cannot start. */
function isShared({ host, port }: Config): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = createServer()
    .once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE'))
    .listen(port, host, () => probe.close(() => resolve(false)))
  return promise
}

async function fillWithPeople(store: Store, now: number): Promise<void> {
  const people = inventPeople().map((passport) => ({ kind: 'passport' as const, passport }))
  await store.records.saveIfEmpty(people, { now, restore: false })
}

function replicaOf({ database }: Config): string {
  if (database.engine === 'sqlite' || database.readUrl === undefined) return ''
  return `  Replica    ${namePostgres(database.readUrl)}\n`
}

function greeting(
  { url, total, metricsUrl: metrics }: Service,
  config: Config,
  { demo, workers }: { demo: boolean; workers: number },
): string {
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
