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
import type { Terminal } from './terminal.ts'
import { CommandError, HELP_OPTION, parseOptions, refuseExtra } from './usage.ts'
import { VERSION } from './version.ts'

const OPTIONS = {
  ...HELP_OPTION,
  demo: { type: 'boolean', default: false },
} as const

/** Serves until the process is asked to end. */
export async function serve(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseOptions('serve', args, OPTIONS)
  if (values.help) return terminal.out(SERVE_HELP)
  refuseExtra('serve', positionals)
  const demo = values.demo === true
  const config = readConfig(terminal.env, { demo })
  const log = createLog({ write: terminal.err, json: !terminal.interactive, now: terminal.now })
  for (const warning of unknownSettings(terminal.env)) log.warn(warning)

  const store = openSqlite(config.database)
  try {
    if (demo) await store.passports.saveIfEmpty(inventPeople())
    const server = start(config, store, terminal, log)
    const end = askedToEnd()
    terminal.out(await greeting(server.url, config, store, demo))
    await end
    await server.stop()
  } finally {
    await store.close()
  }
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
  return `passportd ${VERSION} serves ${total.toLocaleString('en')} passports from ${config.database}

  API        ${address}/api/v1/passports
  Reference  ${address}/reference
  Health     ${address}/health
  Keys       ${config.requireKey ? 'required' : 'optional'}

Try it:      curl ${config.requireKey ? '-H "X-API-KEY: $KEY" ' : ''}'${address}/api/v1/passports?per_page=3'
Make a key:  npm run -s passportd -- keys create ${flag}--name me
`
}

function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
}

/** All that is known of an error that is not the caller's. */
function describe(error: unknown): string {
  if (error instanceof ServiceError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
