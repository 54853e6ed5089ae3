import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callHere } from '../../../support/cli-in-process.ts'
import { workplace } from '../../../support/cli-sandbox.ts'
import { callEveryTool, HELLO, httpAgent, mcpOverHttp, stdioAgent } from '../../../support/mcp-agent.ts'
import { databaseMaker } from '../../../support/store/engines.ts'
import { PEOPLE } from '../../../support/store/records.ts'

const sqlite = databaseMaker('sqlite')

describe('with PUBLIC_URL', () => {
  const PUBLIC_URL = 'https://p.example'
  const api = 'https://p.example/api/v3/passports/7'
  let here: Awaited<ReturnType<typeof workplace>>
  let server: Awaited<ReturnType<typeof mcpOverHttp>>

  beforeAll(async () => {
    here = await workplace(sqlite, { records: PEOPLE })
    server = await mcpOverHttp({ ...here, env: { ...here.env, PUBLIC_URL } })
  })

  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    await here[Symbol.asyncDispose]()
  })

  test('MCP over HTTP gives results with absolute links', async () => {
    await using agent = await httpAgent(server.url)
    expect((await agent.client.listTools()).tools).toHaveLength(8)
    expect((await agent.call('get_passport', { passport: '7' })).data).toMatchObject({
      score: 42.5,
      links: { api, page: 'https://p.example/passports/7' },
    })
    for (const tool of ['history', 'what_changed']) {
      const times = tool === 'history' ? {} : { from: new Date().toISOString() }
      const { data } = await agent.call(tool, { passport: '7', ...times })
      expect(data?.links).toEqual({ api, page: 'https://p.example/passports/7' })
    }
    expect((await agent.call('get_passport', { passport: '8' })).text).toBe('There is no passport "8".')
  })

  test('MCP over HTTP filters and sorts searches, and refuses an unknown filter field', async () => {
    await using agent = await httpAgent(server.url)
    const search = (filter: string) => agent.call('search_passports', { filter, sort: 'passport_id' })
    const { data, text } = await search('score:>1,human:true')
    expect(data).toMatchObject({ total: 1, passports: [{ passport_id: 7 }] })
    expect(JSON.parse(text)).toEqual(data)
    const detail = 'filter at character 1: "scores" is not a known field: did you mean score?'
    expect(await search('scores:>1')).toEqual({
      text: detail,
      data: { code: 'invalid_request', detail },
      isError: true,
    })
  })

  test('the MCP tools of a client without a key write nothing', async () => {
    using database = new Database(here.env.DATABASE_URL.slice('sqlite:'.length))
    // The pragma data_version increments with every commit of another connection.
    const version = () => database.query('pragma data_version').values()[0]?.[0]
    const before = version()
    await using agent = await httpAgent(server.url)
    expect(await callEveryTool(agent)).toEqual(Array(8).fill(false))
    expect(version()).toBe(before)
    await here.look((store) => store.scoring.markAll())
    expect(version()).not.toBe(before)
  })

  test('results have no link to a page if the explorer is off', async () => {
    await using agent = await stdioAgent({ ...here, env: { ...here.env, PUBLIC_URL, EXPLORER: 'off' } })
    expect((await agent.call('get_passport', { passport: '7' })).data?.links).toEqual({ api })
  })

  test('HTTP requests with a foreign Host or Origin are refused', async () => {
    const { port } = server.url
    const ask = async (headers: Record<string, string>, path = '/mcp', method = 'POST') => {
      const response = await fetch(new URL(path, server.url), {
        method,
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...headers,
        },
        ...(method === 'POST' && { body: JSON.stringify(HELLO) }),
      })
      await response.arrayBuffer()
      return response.status
    }
    expect(await ask({})).toBe(200)
    expect(await ask({ Host: `localhost:${port}` })).toBe(200)
    expect(await ask({ Host: `[::1]:${port}` })).toBe(200)
    expect(await ask({ Host: 'p.example' })).toBe(200)
    expect(await ask({ Origin: server.url.origin })).toBe(200)
    expect(await ask({ Host: `evil.example:${port}` })).toBe(403)
    expect(await ask({ Host: 'localhost.evil.example' })).toBe(403)
    expect(await ask({ Host: `evil.example:${port}`, Origin: `http://evil.example:${port}` })).toBe(403)
    expect(await ask({ Origin: 'https://evil.example' })).toBe(403)
    expect(await ask({ Origin: 'http://127.0.0.1:1' })).toBe(403)
    expect(await ask({ Origin: 'null' })).toBe(403)
    expect(await ask({}, '/')).toBe(404)
    expect(await ask({}, '/mcp', 'GET')).toBe(405)
  })

  test('a call over HTTP that is cancelled at once gets a response', async () => {
    const params = { name: 'get_passport', arguments: { passport: '7' } }
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
      body: JSON.stringify([
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
        { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      ]),
    })
    expect(await response.json()).toMatchObject({ id: 1, result: { structuredContent: { passport_id: 7 } } })
  })

  test.each([
    ['a HOST that is no address of this machine', { HOST: '192.0.2.1' }, ' Set HOST and --port.\n'],
    [
      'a public HOST with REQUIRE_API_KEY',
      { HOST: '0.0.0.0', REQUIRE_API_KEY: 'true' },
      'it cannot be served on 0.0.0.0. Set HOST to 127.0.0.1.\n',
    ],
  ])('mcp --http refuses %s', async (_, settings, sentence) => {
    const env = { ...here.env, ...settings }
    const { code, err } = await callHere(['mcp', '--http', '--port', '0'], { env })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(sentence) })
  })
})

test('MCP errors over HTTP do not reveal the name of the database, and SIGTERM ends the process', async () => {
  await using here = await workplace(sqlite, { bare: true })
  await using server = await mcpOverHttp(here)
  await using agent = await httpAgent(server.url)
  expect(await agent.call('get_passport', { passport: '7' })).toMatchObject({
    isError: true,
    text: 'The service cannot reach its data right now. Try again shortly.',
  })
  server.child.kill('SIGTERM')
  expect(await server.child.exited).toBe(0)
})
