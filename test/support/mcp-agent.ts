import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { createLog } from '../../src/core/basics/log.ts'
import { createLocalIndex } from '../../src/core/cli/local-index.ts'
import type { Tier } from '../../src/core/config/rate-limit-tier.ts'
import type { Principal } from '../../src/core/http/client-identity.ts'
import { createLimiter } from '../../src/core/http/rate-limit.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { ToolContext } from '../../src/features/mcp/define-tool.ts'
import { serveMcp } from '../../src/features/mcp/http.ts'
import { createMcpServer } from '../../src/features/mcp/server.ts'
import { COMMAND, start } from './cli.ts'
import { NOON } from './store/records.ts'

type Place = { cwd: string; env: Record<string, string> }

/** The first message that an MCP client sends. */
export const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}

/** An MCP client that starts `passportd mcp` as its child process. */
export function stdioAgent({ cwd, env }: Place, args: readonly string[] = []) {
  const [command = '', ...rest] = COMMAND
  return agent(
    new StdioClientTransport({ command, args: [...rest, 'mcp', ...args], cwd, env, stderr: 'ignore' }),
  )
}

export const httpAgent = (url: URL, headers: Record<string, string> = {}) =>
  agent(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))

async function agent(transport: Transport) {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  return {
    client,
    /** Calls a tool and returns its result, which the client validates against the output schema. */
    async call(name: string, args: Record<string, unknown> = {}) {
      const result = await client.callTool({ name, arguments: args })
      const [content] = result.content
      return {
        text: content?.type === 'text' ? content.text : '',
        data: result.structuredContent as Record<string, unknown> | undefined,
        isError: result.isError === true,
      }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** Starts `passportd mcp --http` on a free port. Disposing it kills the process. */
export async function mcpOverHttp({ cwd, env }: Place) {
  const child = start(['mcp', '--http', '--port', '0'], { cwd, env })
  const reader = child.stdout.getReader()
  const { value } = await reader.read()
  reader.releaseLock()
  const address = /http:\S+/.exec(new TextDecoder().decode(value))?.[0]
  if (address === undefined) throw new Error(await new Response(child.stderr).text())
  return {
    child,
    url: new URL(address),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

/** MCP over HTTP in this process. */
export async function serveMcpHere(store: Store, tiers: readonly Tier[] = []) {
  const lines: string[] = []
  const log = createLog({ write: (line) => void lines.push(line), json: true, now: () => NOON })
  const index = createLocalIndex(store)
  const context = { store, index, config: { publicUrl: undefined, explorer: true }, now: () => NOON }
  const createServer = (principal: Principal, charge: ToolContext['charge']) =>
    createMcpServer({ open: async () => context, principal, charge, log, isLocal: false })
  const now = () => NOON
  const limiter = createLimiter({ tiers, now, isQuotaUsed: () => false })
  const findKey = async (id: string) => store.keys.find(id)
  const server = await serveMcp({
    ...{ host: '127.0.0.1', port: 0, log, findKey, limiter, trustedProxies: [], now, createServer },
  })
  return { url: server.url, lines, [Symbol.asyncDispose]: server.stop }
}

/** Calls every tool for passport 7, and returns which calls fail. */
export async function callEveryTool({ call }: Pick<Awaited<ReturnType<typeof httpAgent>>, 'call'>) {
  const now = new Date().toISOString()
  const passport = '7'
  const calls = [
    ...['get_passport', 'get_credentials', 'explain_score', 'history'].map((tool) =>
      call(tool, { passport }),
    ),
    call('score_at', { passport, as_of: now }),
    call('what_changed', { passport, from: now }),
    call('lookup_passports', { keys: [passport] }),
    call('search_passports', { keyword: 'ada', filter: 'score:>1' }),
  ]
  return (await Promise.all(calls)).map(({ isError }) => isError)
}
