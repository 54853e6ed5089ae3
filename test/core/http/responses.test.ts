import { describe, expect, test } from 'bun:test'
import { CALLS, serveCalls } from '../../support/http/calls-of-all-routes.ts'
import { sendBytes } from '../../support/http/raw-request.ts'
import { serveRecords, shareServer } from '../../support/http/server.ts'
import { limited } from '../../support/http/servers.ts'
import { openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, PEOPLE } from '../../support/store/records.ts'

const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
const READS = CALLS.filter(({ route }) => route.methods === undefined)

const openPeople = () => openTestStore('sqlite', PEOPLE)
const server = shareServer(openPeople, serveCalls)

describe('every route of the API', () => {
  const closed = shareServer(openPeople, (store) => serveCalls(store, { requireKey: true }))

  test.each(CALLS)('$route.name responds 401 without a required key', async ({ route, path, init }) => {
    expect((await server.get(path, init())).status).toBe(route.needsKey ? 401 : 200)
    const { status, headers, body } = await closed.get(path, init())
    expect([status, body.code]).toEqual([401, 'unauthorized'])
    expect(headers.get('WWW-Authenticate')).toContain('X-API-KEY')
    expect((await closed.get(path, init(closed.withKey))).status).toBe(200)
  })

  test.each(CALLS)('$route.name responds 429 above the limit', async ({ path, init }) => {
    await using server = await limited('small=1/10s')
    const key = { 'X-API-KEY': await server.makeKey(1, 'small') }
    await server.get(path, init(key))
    const { status, headers, body } = await server.get(path, init(key))
    expect([status, body.code, headers.get('Retry-After')]).toEqual([429, 'rate_limited', '10'])
  })

  test.each(CALLS)(
    '$route.name allows only its own methods, and responds to preflights',
    async ({ route, path }) => {
      const routes = CALLS.map((call) => call.route).filter((each) => each.path === route.path)
      const methods = routes.flatMap((each) => each.methods ?? ['GET', 'HEAD'])
      const allowed = [...methods, 'OPTIONS'].join(', ')
      for (const method of METHODS.filter((each) => !methods.includes(each))) {
        const { status, headers, text } = await server.get(path, { method, headers: server.withKey })
        expect([status, headers.get('Allow')]).toEqual([405, allowed])
        if (method !== 'HEAD') expect(text).toContain('"code":"method_not_allowed"')
      }
      const { status, headers } = await closed.get(path, { method: 'OPTIONS' })
      expect([status, headers.get('Allow'), headers.get('Access-Control-Allow-Methods')]).toEqual([
        204,
        allowed,
        allowed,
      ])
      // In browsers, * does not cover Authorization.
      expect(headers.get('Access-Control-Allow-Headers')?.split(', ')).toEqual(
        expect.arrayContaining(['X-API-KEY', 'Content-Type', 'Authorization', 'If-None-Match', '*']),
      )
    },
  )

  test.each(CALLS)(
    '$route.name refuses unknown parameters if it belongs to v3, and ignores them otherwise',
    async ({ route, path, init }) => {
      const target = `${path}${path.includes('?') ? '&' : '?'}tset=1`
      const { status, text, body } = await server.get(target, init(server.withKey))
      if (route.surface.retires) expect(text).toBe((await server.get(path, init())).text)
      else {
        expect([status, body.errors[0]?.pointer]).toEqual([400, '?tset'])
        const long = await server.get(`${target}${'x'.repeat(9000)}`, init(server.withKey))
        expect([long.status, long.body.code, long.body.title]).toEqual([414, 'uri_too_long', 'URI Too Long'])
      }
    },
  )

  test.each(READS)(
    '$route.name responds to HEAD with the headers of GET and no body',
    async ({ path, init }) => {
      const given = init({ ...GOLDEN.headers, ...server.withKey, 'Accept-Encoding': 'identity' })
      const get = await server.get(path, given)
      const head = await server.get(path, { ...given, method: 'HEAD' })
      const fields = ({ headers }: typeof get) =>
        Object.fromEntries([...headers].filter(([name]) => !['date', 'ratelimit'].includes(name)))
      expect([head.status, head.text]).toEqual([200, ''])
      expect(fields(head)).toEqual(fields(get))
      expect(head.headers.get('Content-Length')).toBe(String(Buffer.byteLength(get.text)))
    },
  )

  test.each(READS)('$route.name responds 304 if If-None-Match has its ETag', async ({ path, init }) => {
    const ask = (condition: string, method = 'GET') =>
      server.get(path, { ...init({ ...server.withKey, 'If-None-Match': condition }), method })
    const etag = (await server.get(path, init(server.withKey))).headers.get('ETag') ?? ''
    expect(etag).toMatch(/^"[0-9a-z]+"$/)
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await ask(condition, method)
        expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag])
        expect(again.headers.has('Content-Type')).toBe(false)
      }
    }
    for (const condition of ['"other"', '', etag.replaceAll('"', '')])
      expect((await ask(condition)).status).toBe(200)
  })

  test.each(READS)('$route.name responds 412 unless If-Match has the ETag', async ({ path, init }) => {
    const ask = (more: Record<string, string>) => server.get(path, init({ ...server.withKey, ...more }))
    const { text, headers } = await ask({})
    const etag = headers.get('ETag') ?? ''
    for (const condition of [etag, ` ${etag} `, `"other",${etag}`, '*']) {
      const reply = await ask({ 'If-Match': condition })
      expect([reply.status, reply.text]).toEqual([200, text])
    }
    // A weak ETag never matches, because If-Match uses the strong comparison.
    for (const condition of ['"other"', `W/${etag}`, etag.replaceAll('"', '')]) {
      for (const more of [{}, { 'If-None-Match': etag }]) {
        const reply = await ask({ 'If-Match': condition, ...more })
        expect([reply.status, reply.body.code]).toEqual([412, 'precondition_failed'])
      }
    }
  })
})

test.each([
  '/api',
  '/api/',
  '//api/v9//x',
  '/%zz',
  '/%2e%2e/etc',
  '/constructor',
  '/favicon.ico',
  '/health/',
])('the unknown path %s gets 404 as JSON, and a preflight gets 204', async (path) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status, headers, body } = await server.get(path, { method })
    expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([404, '*'])
    expect(body.code).toBe('not_found')
    expect(body.error).toStartWith('There is no path "/')
    expect(body.error).toEndWith(' docs/migrate.md describes the paths.')
  }
  expect((await server.get(path, { method: 'OPTIONS' })).status).toBe(204)
})

test('web pages of any origin may read responses and their headers', async () => {
  const { headers } = await server.get('/api/v3/passports', { headers: { Origin: 'https://example.com' } })
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).toEqual(
    expect.arrayContaining([
      'Content-Location',
      'Deprecation',
      'ETag',
      'Link',
      'Retry-After',
      'X-Request-Id',
    ]),
  )
})

test('repeated slashes in a path count as one', async () => {
  const { text } = await server.get('/api/v3/passports')
  for (const path of ['//api/v3/passports', '/api/v3//passports', '/api//v3/passports///'])
    expect(await server.get(path)).toMatchObject({ status: 200, text })
  for (const path of ['/api/v3/passports//7', '//health']) expect((await server.get(path)).status).toBe(200)
  expect((await server.get('///', { method: 'OPTIONS' })).status).toBe(204)
})

test('the request id of the client is used if it has only allowed characters', async () => {
  const idFor = async (given?: string) => {
    const init = given === undefined ? {} : { headers: { 'X-Request-Id': given } }
    const { headers, body } = await server.get('/api/v3/passports/8', init)
    expect(body.request_id).toBe(headers.get('X-Request-Id'))
    return body.request_id as string
  }
  expect(await idFor('trace-1.a_B')).toBe('trace-1.a_B')
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
  for (const given of [undefined, '', 'two words', '"><script>', 'x'.repeat(65)])
    expect(await idFor(given)).toMatch(uuid)
  expect(await idFor()).not.toBe(await idFor())
})

test('request headers such as Accept and Cookie do not change the response', async () => {
  const { text } = await server.get('/api/v3/passports/7')
  for (const headers of [
    { 'Content-Type': 'application/json' },
    { Accept: 'text/html' },
    { 'User-Agent': '() { :; }; %F0' },
    { Authorization: 'Bearer x', Cookie: 'a=b' },
  ]) {
    expect(await server.get('/api/v3/passports/7', { headers })).toMatchObject({ status: 200, text })
  }
})

test('the ETag changes with the content', async () => {
  await using server = await serveRecords()
  const before = (await server.get(`/api/v3/passports/${ADA_WALLET}`)).headers.get('ETag') ?? ''
  const ask = () => server.get('/api/v3/passports/7', { headers: { 'If-None-Match': before } })
  expect((await ask()).status).toBe(304)
  await saveRecords(server.store, [{ ...ada, profile: { ...ada.profile, bio: 'New' } }])
  const { status, headers } = await ask()
  expect(status).toBe(200)
  expect(headers.get('ETag')).not.toBe(before)
})

test('errors ignore If-Match and If-None-Match, and have Cache-Control no-store', async () => {
  const conditions = { 'If-None-Match': '*', 'If-Match': '*' }
  const { status, headers } = await server.get('/api/v3/passports/8', { headers: conditions })
  expect([status, headers.get('Cache-Control'), headers.get('ETag')]).toEqual([404, 'no-store', null])
})

test('a malformed Host gets 400, and an empty Host is allowed', async () => {
  const ask = (host: string, path = '/api/v3/passports/7') =>
    sendBytes(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
  for (const host of [
    ...['a/b', 'a?b', '[::1', 'a#b', 'a b', 'a@b', 'a<b', 'a, b', 'a:b', '[zz]'],
    'a\r\nHost: b',
  ]) {
    for (const path of ['/api/v3/passports/7', '/api/v3/passports', '/health', '/nothing']) {
      const answer = await ask(host, path)
      expect(answer).toStartWith('HTTP/1.1 400 Bad Request')
      expect(answer).toContain('"code":"invalid_request"')
    }
  }
  for (const host of ['', 'a', 'a_b.example:80', '127.0.0.1', '[::1]:8080'])
    expect(await ask(host)).toStartWith('HTTP/1.1 200 OK')
  const old = await sendBytes(server.port, 'GET /api/v3/passports/7 HTTP/1.0\r\n\r\n')
  expect(old).toStartWith('HTTP/1.1 200 OK')
})

// If a response were asynchronous, Bun would close the connection while the next request waits.
test('pipelined requests on one connection get their responses in order', async () => {
  const ask = (id: number, more = '') => `GET /api/v3/passports/${id} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
  const answer = await sendBytes(server.port, ask(7) + ask(8) + ask(3, 'Connection: close\r\n'))
  expect([...answer.matchAll(/HTTP\/1.1 (\d+)/g)].map((match) => match[1])).toEqual(['200', '404', '200'])
})
