import { CommandError, ServiceError } from '../core/basics/errors.ts'
import { createLog } from '../core/basics/log.ts'
import { count } from '../core/basics/text/counts-and-sizes.ts'
import { PROGRAM, VERSION } from '../core/basics/version.ts'
import { askHealth } from '../core/cli/ask-health.ts'
import { DATABASE_OPTIONS, defineCommand } from '../core/cli/command.ts'
import { openWhole } from '../core/cli/open-store.ts'
import { shutdownSignal, waitForAbort } from '../core/cli/shutdown-signal.ts'
import { secretProblems } from '../core/config/check-secrets.ts'
import { type Config, readConfig } from '../core/config/config.ts'
import { whole } from '../core/config/setting-parsers.ts'
import { DATABASE_HEADER } from '../core/http/open-port.ts'
import { nameDatabase, namePostgres } from '../core/store/database-address.ts'
import { SERVE_TIMEOUT } from '../core/store/open.ts'
import { IDENTITY } from '../core/store/sql/settings.ts'
import type { Store } from '../core/store/store.ts'
import { preparationsOf } from '../feature.ts'
import { FEATURES } from '../features.ts'
import { type Service, startService } from './service.ts'

const MOST_WORKERS = 64

export const serve = defineCommand({
  name: 'serve',
  summary: 'run the service until it is stopped (Ctrl+C or SIGTERM)',
  description: `SIGHUP reads the TLS certificate again. On Linux a new release can start on the same port
    before the old one is stopped.`,
  options: {
    workers: {
      placeholder: 'N',
      default: '1',
      accepts: `a whole number from 1 to ${MOST_WORKERS}`,
      parse: whole(1, MOST_WORKERS),
      about: `threads that serve requests, up to ${MOST_WORKERS}: one for each core of the machine. More than 1 needs Linux`,
    },
    demo: {
      about: `serve a thousand invented people: ${DATABASE_OPTIONS.demo.about}. An empty database is filled with them`,
    },
  },
  forms: [{}],
  async run({ values: { workers, demo = false } }, terminal) {
    refuseWorkers(workers, process.platform)
    const config = readConfig(terminal.env, { demo })
    const { log: write, interactive, now } = terminal
    const log = createLog({ write, json: !interactive, now, level: config.logLevel })
    const started = Promise.withResolvers<Service>()
    // SIGHUP from a closed terminal must end the process. Without a terminal, it only renews TLS, even at startup.
    if (!terminal.interactive) process.on('SIGHUP', async () => (await started.promise).renewTls())
    for (const sentence of secretProblems(terminal.env, config)) log.warn(sentence)
    const preparations = await preparationsOf(FEATURES, { config, demo, now })
    await using store = await openWhole(config.database, {
      ...SERVE_TIMEOUT,
      onNotice: (sentence) => log.warn(sentence),
    })
    for (const { beforeThreads } of preparations) await beforeThreads?.(store)
    const beforeScoring = async () => {
      for (const { beforeScoring } of preparations) await beforeScoring?.(store)
    }
    const isPortShared = await isShared(config, await identifyProcess(store))
    const end = shutdownSignal(() => terminal.exit(1))
    // While both processes get connections, this one must not refuse lists.
    const patience = isPortShared ? { patience: waitForAbort(end) } : {}
    const service = await startService({ config, workers, store, log, beforeScoring, ...patience })
    started.resolve(service)
    if (isPortShared) log.warn(SHARED_PORT)
    // On a terminal, the greeting replaces this log entry.
    if (!terminal.interactive)
      log.info('Started.', {
        version: VERSION,
        url: service.url.origin,
        database: nameDatabase(config.database),
        passports: service.total,
        workers,
      })
    if (!end.aborted) terminal.announce(greeting(service, config, { demo, workers }))
    await waitForAbort(end)
    log.info('Stopping: requests in progress are completed.')
    await service.stop()
    log.info('Stopped.')
  },
})

const SHARED_PORT =
  'Another process listens on this port, and both get connections. Share a port only for an upgrade on the same database.'

/** Finds or creates the id of the database. Returns `undefined` if the database is read-only or its disk is full. */
async function identifyProcess(store: Store): Promise<string | undefined> {
  try {
    return (await store.data(IDENTITY).find()) ?? (await store.data(IDENTITY).create(crypto.randomUUID()))
  } catch (error) {
    if (error instanceof ServiceError) return undefined
    throw error
  }
}

/** Whether another process responds on the port, such as an older release. Throws if it serves another database. */
async function isShared(config: Config, id: string | undefined): Promise<boolean> {
  // A process that does not respond may be another program: the start itself reports a port that it cannot use.
  const status = await askHealth(config, id === undefined ? {} : { [DATABASE_HEADER]: id }).catch(
    () => undefined,
  )
  if (status === 412)
    throw new CommandError(
      `Another passportd serves another database on port ${config.port}. Stop it, or set PORT to another port.`,
    )
  return status !== undefined
}

const lineOf = (name: string, value: string | number | false | undefined) =>
  value ? `  ${name}    ${value}\n` : ''

function greeting(
  { url, total, metricsUrl: metrics }: Service,
  config: Config,
  { demo, workers }: { demo: boolean; workers: number },
): string {
  const address = url.origin
  const flag = demo ? '--demo ' : ''
  const { readUrl } = { readUrl: undefined, ...config.database }
  const more =
    lineOf('Metrics', metrics) +
    lineOf('Workers', workers > 1 && workers) +
    lineOf('Replica', readUrl && namePostgres(readUrl))
  return `passportd ${VERSION} serves ${count(total, 'passport')} from ${nameDatabase(config.database)}

${config.explorer ? `  Explorer   ${address}/\n` : ''}  API        ${address}/api/v3/passports
  Reference  ${address}/reference/v3
  Health     ${address}/health
  Keys       ${config.requireKey ? 'required' : 'optional'}
${more}
Try it:      curl ${config.requireKey ? '-H "X-API-KEY: $KEY" ' : ''}'${address}/api/v3/passports?limit=3'
Make a key:  ${PROGRAM} keys create ${flag}--name me
`
}

/** Several workers need Linux, because other systems send all connections of a port to one socket. */
export function refuseWorkers(count: number, platform: NodeJS.Platform): void {
  if (count > 1 && platform !== 'linux')
    throw new CommandError(
      `--workers ${count} needs Linux, which distributes connections to workers: omit the option.`,
    )
}
