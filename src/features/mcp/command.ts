import { CommandError } from '../../core/basics/errors.ts'
import { createLog } from '../../core/basics/log.ts'
import { PROGRAM } from '../../core/basics/version.ts'
import { DATABASE_OPTIONS, defineCommand } from '../../core/cli/command.ts'
import { createLocalIndex } from '../../core/cli/local-index.ts'
import { MUST_EXIST, openWhole } from '../../core/cli/open-store.ts'
import { shutdownSignal, waitForAbort } from '../../core/cli/shutdown-signal.ts'
import { type Config, readConfig } from '../../core/config/config.ts'
import { parsePort } from '../../core/config/setting-parsers.ts'
import { ANONYMOUS_PRINCIPAL, type Principal } from '../../core/http/client-identity.ts'
import { createLimiter } from '../../core/http/rate-limit.ts'
import { DEFAULT_SCOPES, isScope } from '../../core/store/api-key.ts'
import { SERVE_TIMEOUT } from '../../core/store/open.ts'
import type { ToolContext } from './define-tool.ts'
import type { createMcpServer } from './server.ts'

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'serve passports to agents, over the Model Context Protocol',
  description: `Tools: search_passports, get_passport, get_credentials, explain_score, lookup_passports, score_at,
    what_changed, history. They only read. write_records is added by --write, or over HTTP by a key that may
    write. The server stops at the end of its input, or by Ctrl+C or SIGTERM.

docs/mcp.md shows how to configure an agent. PUBLIC_URL adds links to the explorer.`,
  options: {
    http: {
      about:
        'serve many agents over HTTP, on the address HOST. It also accepts requests without keys: use it on this machine, or behind a proxy that checks keys',
    },
    port: {
      placeholder: 'N',
      // Not 8080, because `serve` usually runs on the same machine with that port.
      default: '8081',
      accepts: 'a port from 0 to 65535',
      parse: parsePort,
      about: 'port for HTTP; 0 takes any free port',
    },
    write: {
      placeholder: 'ISSUER',
      accepts: 'the name of an issuer, or * for all records',
      parse: (issuer: string) => [`write:${issuer}`].find(isScope),
      about: 'let the agent write data points of this issuer, or with * all records',
    },
    ...DATABASE_OPTIONS,
  },
  forms: [
    { options: ['write'], about: 'on standard input and output' },
    { required: ['http'], options: ['port'], about: 'over HTTP, at http://HOST:N/mcp' },
  ],
  examples: [`claude mcp add passportd -- ${PROGRAM} mcp`],
  async run({ values: { http, port, write: scope, demo } }, terminal) {
    const config = readConfig(terminal.env, { demo })
    if (http) refusePublicHost(config)
    const { createMcpServer } = await import('./server.ts')
    const { log: write, interactive, now } = terminal
    const log = createLog({ write, json: !interactive, now, level: config.logLevel })
    const end = shutdownSignal(() => terminal.exit(1))
    await using stores = keepStore(config.database)
    const createServer = (principal: Principal, charge?: ToolContext['charge']) =>
      createMcpServer({
        principal,
        charge,
        open: async () => ({ ...(await stores.open()), config, now: terminal.now }),
        log,
        isLocal: !http,
      })

    const local = scope ? { ...ANONYMOUS_PRINCIPAL, scopes: [...DEFAULT_SCOPES, scope] } : ANONYMOUS_PRINCIPAL
    if (!http) {
      // Requests just before the end of the input are answered only if they need not wait for the index. If the
      // database is unavailable, the first call says so.
      const warmUp = async () => (await stores.open()).index.version()
      await warmUp().catch(() => undefined)
      return await serveStdio(createServer(local), end)
    }
    const { serveMcp } = await import('./http.ts')
    const findKey = async (id: string) => (await stores.open()).store.keys.find(id)
    const limiter = createLimiter({ tiers: config.tiers, now, isQuotaUsed: () => false })
    const server = await serveMcp({ ...config, port, log, findKey, limiter, now, createServer })
    terminal.announce(`MCP is served at ${server.url}\n`)
    await waitForAbort(end)
    await server.stop()
  },
})

/** Standard output carries the protocol only. The transport closes itself when the client closes one of its pipes. */
async function serveStdio(server: ReturnType<typeof createMcpServer>, end: AbortSignal): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  const { StdioServerTransport } = await import('@modelcontextprotocol/server/stdio')
  await server.connect(new StdioServerTransport())
  await Promise.race([closed, waitForAbort(end)])
  await server.close()
  process.stdin.destroy()
}

/** Opens the store on first use, and again after a failure: the database may be unavailable for a while. */
function keepStore(database: Config['database']) {
  const ending = new AbortController()
  let opened: ReturnType<typeof openOnce> | undefined

  async function openOnce() {
    const store = await openWhole(database, { ...MUST_EXIST, ...SERVE_TIMEOUT })
    return { store, index: createLocalIndex(store, ending) }
  }

  return {
    open() {
      opened ??= openOnce().catch((error) => {
        opened = undefined
        throw error
      })
      return opened
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      // If the store could not be opened, open() has thrown the reason.
      await (await opened?.catch(() => undefined))?.store.database.close()
    },
  }
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|::1)$/

/** MCP must not bypass REQUIRE_API_KEY. */
function refusePublicHost({ requireKey, host }: Config): void {
  if (!requireKey || LOOPBACK.test(host)) return
  throw new CommandError(
    `REQUIRE_API_KEY is set, but MCP also serves requests without keys: it cannot be served on ${host}. Set HOST to 127.0.0.1.`,
  )
}
