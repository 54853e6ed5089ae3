import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ApiKey } from '../../../src/core/store/api-key.ts'
import { makeKey } from '../../support/http/keys.ts'
import { failureOf, serveRecords } from '../../support/http/server.ts'
import { limited } from '../../support/http/servers.ts'
import { callOf, HELLO, httpAgent, postMessage } from '../../support/mcp-agent.ts'
import { NOON } from '../../support/store/records.ts'

let server: Awaited<ReturnType<typeof serveRecords>>
beforeAll(async () => {
  server = await serveRecords()
})
afterAll(() => server[Symbol.asyncDispose]())

let seed = 0
async function agentWith(key: Partial<ApiKey>) {
  const { id, init } = await makeKey(server.store, ++seed, key)
  return { id, ...(await httpAgent(server.url, init)) }
}

const READING = ['search_passports', 'get_passport', 'what_changed']

test('a tool is offered only to keys that may call it, write_records only to those with a scope that writes', async () => {
  await using anonymous = await httpAgent(server.url)
  expect(anonymous.names).toEqual(READING)
  for (const [scopes, names] of [
    [['read'], ['lookup_passports']],
    [
      ['read', 'events'],
      ['lookup_passports', 'history'],
    ],
    [
      ['read', 'write:github'],
      ['lookup_passports', 'write_records'],
    ],
  ] as const) {
    await using agent = await agentWith({ scopes })
    expect(agent.names.toSorted()).toEqual([...READING, ...names].toSorted())
    for (const { name, annotations } of agent.tools)
      expect(annotations?.readOnlyHint).toBe(name !== 'write_records')
  }
})

test('a tool that the key may not call is refused as by v3', async () => {
  await using anonymous = await httpAgent(server.url)
  await using reader = await agentWith({ scopes: ['read'] })
  const records = [{ passport_id: 555 }]
  for (const [agent, tool, args, code] of [
    [anonymous, 'lookup_passports', { keys: [7] }, 'unauthorized'],
    [anonymous, 'write_records', { records }, 'unauthorized'],
    [reader, 'write_records', { records }, 'forbidden'],
    [reader, 'history', {}, 'forbidden'],
  ] as const)
    expect(await agent.call(tool, args)).toMatchObject({ isError: true, data: { code } })
  const { init } = await makeKey(server.store, 50, { scopes: ['events'] })
  const { message } = await failureOf(httpAgent(server.url, init))
  expect(message).toContain('needs a key with the scope read')
})

test('write_records writes what its key may write, which the event names; a dry run writes nothing', async () => {
  await using agent = await agentWith({ scopes: ['read', 'write:github'], types: ['github'] })
  const point = (type: string) => ({ passport: 7, type, value: 30, account: 'first' })
  const records = [point('github')]
  expect((await agent.call('write_records', { records, dry_run: true })).data).toMatchObject({ added: 1 })
  expect((await agent.call('write_records', { records })).data).toMatchObject({ added: 1 })
  expect((await agent.call('write_records', { records })).data).toMatchObject({ unchanged: 1 })
  const refused = await agent.call('write_records', { records: [...records, point('ens')] })
  const errors = [{ line: 2, pointer: '#/records/1/type' }]
  expect(refused).toMatchObject({ isError: true, data: { code: 'invalid_request', errors } })
  await using operator = await agentWith({ scopes: ['read', 'write:*'] })
  await operator.call('write_records', { records: [{ passport_id: 555 }] })
  const { events } = await server.store.events.list({ after: 0, limit: 1000 })
  expect(events.at(-1)).toMatchObject({ passportId: 555, actor: `key:${operator.id}` })
})

test('a wrong, expired or revoked key is refused, and a publishable key without one of its origins', async () => {
  const expired = await makeKey(server.store, 101, { expiresAt: NOON - 1 })
  const revoked = await makeKey(server.store, 102, { revokedAt: 1 })
  for (const key of [expired.key, revoked.key, 'nonsense']) {
    const { status, body } = await postMessage(server.url, HELLO, { 'X-API-KEY': key })
    expect([status, body.error]).toEqual([
      401,
      expect.objectContaining({ message: 'The header X-API-KEY must have a valid key.' }),
    ])
  }
  const { init } = await makeKey(server.store, 103, { origins: ['https://page.example'] })
  const { status, body } = await postMessage(server.url, HELLO, init.headers)
  expect([status, body.error.message]).toEqual([403, expect.stringContaining('has no Origin header')])
  const sent = { ...init.headers, Origin: 'https://page.example' }
  expect((await postMessage(server.url, HELLO, sent)).status).toBe(200)
})

test('REQUIRE_API_KEY requires a key of agents, too', async () => {
  await using closed = await serveRecords({ requireKey: true })
  expect((await postMessage(closed.url, HELLO)).status).toBe(401)
  const { init } = await makeKey(closed.store, 1)
  expect((await postMessage(closed.url, HELLO, init.headers)).status).toBe(200)
})

test('a call counts as many requests as the same request of v3, for the limit and for the usage', async () => {
  await using server = await limited('anonymous=30/1m')
  const leftAfter = async (message: object) =>
    (await postMessage(server.url, message)).headers.get('RateLimit')?.split(';')[1]
  const search = callOf('search_passports', { q: 'ada', sort: 'passport_id' })
  expect(await leftAfter(HELLO)).toBe('r=29')
  expect(await leftAfter(search)).toBe('r=18')
  expect(await leftAfter(callOf('what_changed', { key: 7 }))).toBe('r=16')
  expect(await leftAfter(search)).toBe('r=5')
  const { status, body } = await postMessage(server.url, search)
  expect([status, body.result.structuredContent.code]).toEqual([200, 'rate_limited'])
  for (let request = 1; request <= 5; request++) await leftAfter(HELLO)
  const refused = await postMessage(server.url, HELLO)
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60'])
  const { counts } = server.usage.take()
  expect(counts).toMatchObject([
    { endpoint: 'mcp', status: 200 },
    { endpoint: 'mcp', status: 429, count: 1 },
  ])
})
