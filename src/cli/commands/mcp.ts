import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { DRAIN_MILLISECONDS } from '../../api/open-port.ts'
import { type Catalog, createCatalog } from '../../catalog/catalog.ts'
import { type Config, readConfig } from '../../config.ts'
import { CommandError } from '../../domain/errors.ts'
import { createLog } from '../../log.ts'
import { serveMcp } from '../../mcp/http.ts'
import { createMcpServer } from '../../mcp/server.ts'
import { loadRules } from '../../scoring/load-rules.ts'
import { shutdownSignal, waitForAbort } from '../../serve/shutdown-signal.ts'
import { SERVE_TIMEOUT } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import { DATABASE_OPTIONS, parseOptions, UsageError } from '../args.ts'
import { openWhole } from '../open-store.ts'
import type { Terminal } from '../terminal.ts'

const OPTIONS = {
  ...DATABASE_OPTIONS,
  http: { type: 'boolean' },
  port: { type: 'string' },
} as const

/** Not that of `serve`, which mostly runs on the same machine. */
const DEFAULT_PORT = 8081

/** Answers agents until the process is asked to end, or nobody is left to ask. */
export async function mcp(args: string[], terminal: Terminal): Promise<void> {
  const { values } = parseOptions('mcp', args, OPTIONS)
  const port = parsePort(values.port, values.http === true)
  const config = readConfig(terminal.env, values)
  if (values.http) refuseSideDoor(config)
  const rules = await loadRules(config.rules)
  const log = createLog({ write: terminal.log, json: !terminal.interactive, now: terminal.now })
  const end = shutdownSignal()
  await using stores = keepStore(config.database)
  let underWay = 0
  const createServer = () =>
    createMcpServer({
      open: async () => ({ ...(await stores.open()), rules, config, now: terminal.now }),
      log,
      isLocal: !values.http,
      onCall: (step) => {
        underWay += step
      },
    })

  if (values.http) {
    const server = serveMcp({ host: config.host, port, publicUrl: config.publicUrl, log, createServer })
    terminal.out(`MCP is served at ${server.url}\n`)
    await waitForAbort(end)
    return server.stop()
  }
  await answerOnStdio(createServer(), end, () => underWay)
}

/** Only the protocol goes to standard output. */
async function answerOnStdio(
  server: ReturnType<typeof createMcpServer>,
  end: AbortSignal,
  underWay: () => number,
): Promise<void> {
  const left = new Promise<void>((resolve) => {
    for (const event of ['end', 'close'] as const) process.stdin.once(event, resolve)
    // Nobody reads any more.
    process.stdout.on('error', () => resolve())
    server.onclose = resolve
  })
  await server.connect(new StdioServerTransport())
  await Promise.race([left, waitForAbort(end)])
  const latest = performance.now() + DRAIN_MILLISECONDS
  // What came last is handed on, and what was answered is sent, in a later turn.
  do await Bun.sleep(5)
  while (underWay() > 0 && performance.now() < latest)
  await Bun.sleep(5)
  await server.close()
  process.stdin.destroy()
}

type Opened = { store: Store; catalog: Catalog }

/** Opened when it is first needed, and tried again where that failed: an agent outlives a database that is away. */
function keepStore(database: Config['database']) {
  let opened: Promise<Opened> | undefined

  async function openOnce(): Promise<Opened> {
    const store = await openWhole(database, { create: false, migrate: false, ...SERVE_TIMEOUT })
    return { store, catalog: createCatalog(store) }
  }

  return {
    async open(): Promise<Opened> {
      opened ??= openOnce()
      try {
        return await opened
      } catch (error) {
        opened = undefined
        throw error
      }
    },
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => undefined))?.store.close()
    },
  }
}

function parsePort(text: string | undefined, isHttp: boolean): number {
  if (text === undefined) return DEFAULT_PORT
  if (!isHttp) throw new UsageError('--port is for HTTP: passportd mcp --http --port N.')
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65535) return Number(text)
  throw new UsageError(`--port must be a port from 0 to 65535, got "${text}".`)
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/

/** Where the API is closed, its data is not shown to everybody by a side door. */
function refuseSideDoor({ requireKey, host }: Config): void {
  if (!requireKey || LOOPBACK.test(host)) return
  throw new CommandError(
    `REQUIRE_API_KEY is set, and MCP asks for no keys: it is not served on ${host}. Set HOST to 127.0.0.1.`,
  )
}
