import { type Config, readConfig, unknownSettings } from '../config.ts'
import { ServiceError } from '../domain/errors.ts'
import { json } from '../http/answer.ts'
import { createOpenApi } from '../http/openapi.ts'
import { startServer } from '../http/server.ts'
import { inventPeople } from '../ingest/demo/people.ts'
import { createLog, type Log } from '../log.ts'
import { openSqlite } from '../store/sqlite/open.ts'
import type { Store } from '../store/store.ts'
import { createReference } from '../web/reference.ts'
import { SERVE_HELP } from './help.ts'
import { loadRules } from './rules.ts'
import { startScorer } from './scorer.ts'
import { asked } from './signals.ts'
import type { Terminal } from './terminal.ts'
import { CommandError, DATABASE_OPTIONS, parseOptions, refuseExtra } from './usage.ts'
import { VERSION } from './version.ts'
import { count } from './words.ts'

/** Serves until the process is asked to end. */
export async function serve(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('serve', args, DATABASE_OPTIONS)
  if (values.help) return terminal.out(SERVE_HELP)
  refuseExtra('serve', positionals)
  const demo = values.demo === true
  const config = readConfig(terminal.env, { demo })
  const log = createLog({ write: terminal.log, json: !terminal.interactive, now: terminal.now })
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)

  loadRules(config.rules)

  const store = openSqlite(config.database)
  try {
    if (demo) await fillWithPeople(store, terminal.now())
    const server = start(config, store, terminal, log)
    const end = asked()
    const scorer = startScorer({ database: config.database, rules: config.rules }, log)
    terminal.out(await greeting(server.url, config, store, demo))
    await new Promise((resolve) => end.addEventListener('abort', resolve, { once: true }))
    await Promise.all([drain(server), scorer.stop()])
  } finally {
    await store.close()
  }
}

/** How long requests under way have to finish; one that never ends must not keep the process. */
const DRAIN_MILLISECONDS = 5000

async function drain(server: Bun.Server<undefined>): Promise<void> {
  const forced = setTimeout(() => server.stop(true), DRAIN_MILLISECONDS)
  await server.stop()
  clearTimeout(forced)
}

async function fillWithPeople(store: Store, now: number): Promise<void> {
  const people = inventPeople().map((passport) => ({ kind: 'passport' as const, passport }))
  await store.records.saveIfEmpty(people, { now, restore: false })
}

function start(config: Config, store: Store, { now }: Terminal, log: Log) {
  const openApi = createOpenApi(VERSION)
  try {
    return startServer({
      ...config,
      store,
      now,
      pages: { '/openapi.json': json(openApi), ...createReference(openApi, config.deprecatedAt) },
      onError: (error, { id, method, path }) => log.error(describe(error), { request_id: id, method, path }),
    })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') {
      throw new CommandError(`Port ${config.port} on ${config.host} is in use: set PORT to another one.`)
    }
    throw new CommandError(
      `Cannot listen on ${config.host}, port ${config.port}: ${message}. Set HOST and PORT.`,
    )
  }
}

async function greeting(url: URL, config: Config, store: Store, demo: boolean): Promise<string> {
  const { total } = await store.passports.list({ page: 1, size: 1, keyword: undefined })
  const address = url.origin
  const flag = demo ? '--demo ' : ''
  return `passportd ${VERSION} serves ${count(total, 'passport')} from ${config.database}

  API        ${address}/api/v1/passports
  Reference  ${address}/reference
  Health     ${address}/health
  Keys       ${config.requireKey ? 'required' : 'optional'}

Try it:      curl ${config.requireKey ? '-H "X-API-KEY: $KEY" ' : ''}'${address}/api/v1/passports?per_page=3'
Make a key:  npm run -s passportd -- keys create ${flag}--name me
`
}

/** All that is known of an error that is not the caller's. */
function describe(error: unknown): string {
  if (error instanceof ServiceError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
