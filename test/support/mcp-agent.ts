import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { COMMAND } from './cli.ts'

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

type HttpOptions = { headers?: Record<string, string>; mode?: VersionNegotiationMode }

/** An MCP client of a service. */
export const httpAgent = (service: URL, { headers = {}, mode }: HttpOptions = {}) =>
  agent(new StreamableHTTPClientTransport(new URL('/mcp', service), { requestInit: { headers } }), mode)

async function agent(transport: Transport, mode: VersionNegotiationMode = 'legacy') {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  // The client validates results against the output schemas that it knows.
  const { tools } = await client.listTools()
  return {
    client,
    tools,
    names: tools.map(({ name }) => name),
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

/** Sends a message without the client of the SDK. */
export async function postMessage(service: URL, message: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(new URL('/mcp', service), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(message),
  })
  const text = await response.text()
  const body = text === '' ? undefined : JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

/** The message of a call. */
export const callOf = (name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})
