import { expect, test } from 'bun:test'
import { makeKey } from '../../support/http/keys.ts'
import { HELLO, httpAgent, serveMcpHere } from '../../support/mcp-agent.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const ORIGIN = 'https://page.example'

/** A server whose clients without a key may send `requests` requests. */
async function serve(requests = 1000) {
  const store = await openTestStore('sqlite', PEOPLE)
  const server = await serveMcpHere(store, [{ name: 'anonymous', requests, window: 60 }])
  const post = async (message: object, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(message),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  return {
    ...{ store, server, post },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

const call = (name: string, args: object) => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
})

test('a publishable key is refused over MCP without one of its origins, as by the API', async () => {
  await using here = await serve()
  const { init } = await makeKey(here.store, 1, { origins: [ORIGIN] })
  const { status, body } = await here.post(HELLO, init.headers)
  expect([status, body.error.message]).toEqual([
    403,
    expect.stringMatching(
      /^A publishable key is valid only on pages of its origins, but this request has no Origin/,
    ),
  ])
})

test('a key without the scope read calls no tool that reads, and lists only those that it may call', async () => {
  await using here = await serve()
  for (const [seed, scopes, names] of [
    [1, ['write:github'], ['write_records']],
    [2, ['events'], []],
  ] as const) {
    const { init } = await makeKey(here.store, seed, { scopes })
    await using agent = await httpAgent(here.server.url, init.headers)
    const { tools } = await agent.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([...names])
    const refused = await agent.call('get_passport', { passport: '7' })
    expect([refused.isError, refused.data?.code]).toEqual([true, 'forbidden'])
    expect(refused.text).toStartWith('This request needs a key with the scope read')
  }
})

test('requests over MCP count for the limit of their client, and then get 429 with Retry-After', async () => {
  await using here = await serve(3)
  for (let request = 1; request <= 3; request++) expect((await here.post(HELLO)).status).toBe(200)
  const { status, headers, body } = await here.post(HELLO)
  expect([status, headers.get('Retry-After')]).toEqual([429, '60'])
  expect(body.error.message).toBe('The limit is 3 requests in 60 s: try again in 60 s.')
})

test('a call over MCP counts as many requests as the same request of v3, also in a batch', async () => {
  await using here = await serve(10)
  const search = call('search_passports', { keyword: 'ada', sort: 'passport_id' })
  const { body } = await here.post(search)
  expect(body.result.structuredContent).toMatchObject({ code: 'invalid_request' })
  expect(body.result.structuredContent.detail).toStartWith('This request counts as 11 requests')
  const batch = Array.from({ length: 12 }, (_, at) => ({
    ...call('get_passport', { passport: '7' }),
    id: at,
  }))
  const replies: { result: { isError?: boolean } }[] = (await here.post(batch)).body
  expect(replies.filter(({ result }) => !result.isError)).toHaveLength(9)
})

test('wrong keys over MCP are limited as by the API', async () => {
  await using here = await serve()
  const wrong = () => here.post(HELLO, { 'X-API-KEY': 'nonsense' })
  for (let attempt = 1; attempt <= 60; attempt++) expect((await wrong()).status).toBe(401)
  expect((await wrong()).status).toBe(429)
})
