import { afterAll, beforeAll, expect, test } from 'bun:test'
import { serveRecords } from '../../support/http/server.ts'
import { callOf, HELLO, httpAgent, postMessage } from '../../support/mcp-agent.ts'

let server: Awaited<ReturnType<typeof serveRecords>>
beforeAll(async () => {
  server = await serveRecords()
})
afterAll(() => server[Symbol.asyncDispose]())

test.each(['auto' as const, { pin: '2026-07-28' }])(
  'a client that negotiates the revision (%j) calls tools',
  async (mode) => {
    await using agent = await httpAgent(server.url, { mode })
    expect(agent.client.getServerVersion()).toMatchObject({ name: 'passportd' })
    expect(agent.client.getInstructions()).toContain('untrusted input')
    expect((await agent.call('get_passport', { key: 7 })).data).toMatchObject({ score: 42.5 })
  },
)

const message = (method: string, params = {}) => ({ jsonrpc: '2.0', id: 'x', method, params })
const future = { _meta: { 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } }
const deep = JSON.parse(`${'['.repeat(9000)}${']'.repeat(9000)}`)

test.each<[string, unknown, number, object]>([
  ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }, 202, {}],
  ['a ping', message('ping'), 200, { jsonrpc: '2.0', id: 'x', result: {} }],
  ['an unknown method', message('prompts/list'), 200, { id: 'x', error: { code: -32601 } }],
  [
    'an unknown first revision',
    message('initialize', { protocolVersion: '1' }),
    200,
    { result: { protocolVersion: '2025-11-25' } },
  ],
  ['an unknown revision', message('ping', future), 200, { error: { data: { supported: ['2026-07-28'] } } }],
  ['a batch', [HELLO], 400, { id: null, error: { data: { code: 'invalid_request' } } }],
  ['a text', 'ping', 400, { id: null, error: { data: { code: 'invalid_request' } } }],
  [
    'a call without arguments',
    message('tools/call', { name: 'search_passports' }),
    200,
    { result: { structuredContent: { total: 3 } } },
  ],
  [
    'a call with a deep argument',
    callOf('get_passport', { key: deep }),
    200,
    { result: { structuredContent: { code: 'invalid_request' } } },
  ],
])('%s gets a reply', async (_, sent, status, expected) => {
  const reply = await postMessage(server.url, sent)
  expect(reply.status).toBe(status)
  expect(reply.body ?? {}).toMatchObject(expected)
})

test('other methods, types and large bodies are refused', async () => {
  const url = new URL('/mcp', server.url)
  const got = await fetch(url)
  expect([got.status, got.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS'])
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(415)
  expect((await postMessage(server.url, 'a'.repeat(1024 * 1024))).status).toBe(413)
})

test('an unexpected error is logged, and the agent gets a sentence without details', async () => {
  const passports = {
    ...server.store.passports,
    findByKeys: () => Promise.reject(new Error('on purpose')),
  }
  await using failing = await serveRecords({ store: { ...server.store, passports } })
  const { status, body } = await postMessage(failing.url, callOf('get_passport', { key: 7 }))
  expect([status, body.result.isError]).toEqual([200, true])
  expect(body.result.structuredContent).toMatchObject({
    code: 'internal',
    detail: 'Something went wrong on our side.',
  })
  expect(failing.errors).toEqual([new Error('on purpose')])
})
