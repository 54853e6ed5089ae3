import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ApiKey } from '../../../../src/core/store/api-key.ts'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { makeKey } from '../../../support/http/keys.ts'
import { failureOf } from '../../../support/http/server.ts'
import { ISSUER_RULES } from '../../../support/http/writing-server.ts'
import { httpAgent, serveMcpHere, stdioAgent } from '../../../support/mcp-agent.ts'
import { databaseMaker, openTestStore, type TestStore } from '../../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../../support/store/records.ts'
import { applyRules } from '../../../support/store/scoring.ts'

const point = (value: unknown, type = 'github', account = 'ada') => ({ passport: 7, type, value, account })

describe('over HTTP', () => {
  let store: TestStore
  let server: Awaited<ReturnType<typeof serveMcpHere>>
  beforeAll(async () => {
    store = await openTestStore('sqlite', PEOPLE)
    server = await serveMcpHere(store)
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await store[Symbol.asyncDispose]()
  })
  let keys = 0
  const agentWith = async (given: Partial<ApiKey>) => {
    const { id, init } = await makeKey(store, ++keys, given)
    return { id, ...(await httpAgent(server.url, init.headers)) }
  }

  test('write_records is offered only to keys with a scope that writes', async () => {
    for (const scopes of [['read', 'events'], ['write:github'], ['read', 'write:*']] as const) {
      await using agent = await agentWith({ scopes })
      const { tools } = await agent.client.listTools()
      const tool = tools.find(({ name }) => name === 'write_records')
      const mayWrite = scopes.some((scope) => scope.startsWith('write'))
      expect(tool !== undefined).toBe(mayWrite)
      if (tool) expect(tool.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    }
    await using anonymous = await httpAgent(server.url)
    expect((await anonymous.client.listTools()).tools).toHaveLength(8)
    expect(await anonymous.call('write_records', { records: [point(1)] })).toMatchObject({
      isError: true,
      text: 'This request needs a key with the scope write:ISSUER or write:*.',
    })
  })

  test('write_records writes data points, checks them with dry_run, and changes nothing the second time', async () => {
    await using agent = await agentWith({ scopes: ['write:github'], types: ['github'] })
    const records = [point(31, 'github', 'first')]
    const dry = await agent.call('write_records', { records, dry_run: true })
    expect(dry.data).toMatchObject({ added: 1, outcomes: [{ line: 1, outcome: 'added' }] })
    const { data } = await agent.call('write_records', { records })
    expect(data).toMatchObject({ added: 1, cursor: expect.any(String) })
    expect((await agent.call('write_records', { records })).data).toMatchObject({ added: 0, unchanged: 1 })
    const withdrawn = [{ passport: 7, type: 'github', account: 'first', withdrawn: true }]
    expect((await agent.call('write_records', { records: withdrawn })).data).toMatchObject({ changed: 1 })
  })

  test('write_records names the key as the actor of an event', async () => {
    await using agent = await agentWith({ scopes: ['write:*'] })
    await agent.call('write_records', { records: [{ passport_id: 555 }] })
    const { events } = await store.events.list({ after: 0, limit: 1000 })
    expect(events.at(-1)).toMatchObject({ passportId: 555, actor: `key:${agent.id}` })
  })

  test('write_records refuses what the key may not write with all problems, and stores nothing', async () => {
    await using agent = await agentWith({ scopes: ['write:github'], types: ['github'] })
    const before = await store.events.log()
    const { isError, text, data } = await agent.call('write_records', {
      records: [point(5), point(1, 'ens'), point({}), { passport_id: 7 }],
    })
    expect(isError).toBe(true)
    expect(text).toContain(
      'Nothing was stored, because 3 of 4 records are invalid. Record 2: type: must be one',
    )
    expect(data).toMatchObject({
      code: 'invalid_request',
      errors: [
        { line: 2, pointer: '#/records/1/type' },
        { line: 3, pointer: '#/records/2/value' },
        { line: 4, pointer: '#/records/3/passport_id' },
      ],
    })
    expect(await store.events.log()).toEqual(before)
    const many = await agent.call('write_records', { records: Array(101).fill(point(1)) })
    expect(many).toMatchObject({ isError: true, data: { code: 'invalid_request' } })
    expect(many.text).toContain('records must be a list of at most 100 entries')
  })

  test('MCP over HTTP refuses a key that is unknown, expired or revoked', async () => {
    const expired = await makeKey(store, 101, { scopes: ['write:*'], expiresAt: NOON - 1 })
    const revoked = await makeKey(store, 102, { scopes: ['write:*'], revokedAt: 1 })
    const forged = revoked.key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    for (const key of [expired.key, revoked.key, forged, 'nonsense'])
      expect((await failureOf(httpAgent(server.url, { 'X-API-KEY': key }))).message).toContain(
        'The header X-API-KEY must have a valid key, or be absent.',
      )
  })
})

describe('as a command', () => {
  test('mcp --write lets an agent on standard input write the types of the issuer', async () => {
    await using here = await workplace(databaseMaker('sqlite'), { records: PEOPLE })
    await here.look((store) => applyRules(store, ISSUER_RULES))
    await using agent = await stdioAgent(here, ['--write', 'github'])
    const written = await agent.call('write_records', { records: [point(12)] })
    expect(written.data).toMatchObject({ added: 1 })
    const refused = await agent.call('write_records', { records: [point(1, 'ens')] })
    expect(refused.text).toContain('type: must be one that write:github may write: "github", got "ens".')
  })

  test.each([
    [['--write', 'Git Hub'], '--write must be the name of an issuer, or * for all records, got "Git Hub"'],
    [['--http', '--write', '*'], '--write is not accepted here.'],
  ])('mcp is refused with the arguments %j', async (args, sentence) => {
    const { code, err } = await callHere(['mcp', ...args], {})
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(sentence) })
  })
})
