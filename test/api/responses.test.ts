import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSqlite } from '../../src/store/sqlite/open.ts'
import { expectGolden } from '../support/http/golden.ts'
import { sendBytes } from '../support/http/raw-request.ts'
import { serveRecords, serveTest, shareServer } from '../support/http/server.ts'
import { onEngine, saveRecords } from '../support/store/engines.ts'
import { ADA_WALLET, PEOPLE } from '../support/store/records.ts'
import { tempFolder } from '../support/temp-folder.ts'

const V1 = ['/api/v1/passports', '/api/v1/passports/7', '/api/v1/passport_credentials?passport_id=7']
const GOLDEN = { headers: { 'X-Request-Id': 'golden' } }

onEngine('sqlite', 'errors', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('every endpoint matches its golden file', async () => {
    expectGolden('error-400', (await server.get('/api/v1/passports?page=0', GOLDEN)).text)
    expectGolden('error-404', (await server.get('/api/v1/passports/8', GOLDEN)).text)
    expectGolden('error-405', (await server.get('/api/v1/passports', { ...GOLDEN, method: 'POST' })).text)
    const long = `/api/v1/passports?keyword=${'x'.repeat(9000)}`
    expectGolden('error-414', (await server.get(long, GOLDEN)).text)
  })

  test.each([
    '/api',
    '/api/',
    '/api/v1',
    '/api/v1/',
    '/api/v2',
    '/api/v9/passports',
    '/api/v1/passports/7/credentials',
    '/api/v1//nothing',
    '/API/V1/passports',
    '/favicon.ico',
    '/constructor',
    '/health/',
    '/%2e%2e/etc',
  ])('%s gets a JSON 404', async (path) => {
    const { status, body } = await server.get(path)
    expect(status).toBe(404)
    expect(body).toMatchObject({ error: 'Resource not found.', code: 'not_found' })
  })

  test('repeated slashes count as one', async () => {
    const { text } = await server.get('/api/v1/passports')
    for (const path of [
      '//api/v1/passports',
      '/api/v1//passports',
      '/api//v1/passports///',
      '/api/v1/passports//',
    ]) {
      expect(await server.get(path)).toMatchObject({ status: 200, text })
    }
    expect(await server.get('/api/v1/passports//7')).toMatchObject({ status: 200 })
    expect(await server.get('//health')).toMatchObject({ status: 200 })
  })

  test('an unknown path responds to preflights, and to any other method with 404', async () => {
    await using server = await serveRecords({ requireKey: true })
    for (const path of ['/nowhere', '/api/v1/nothing', '/api/v9/x', '//api/v9//x', '/%zz']) {
      expect((await server.get(path, { method: 'OPTIONS' })).status).toBe(204)
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status, headers } = await server.get(path, { method })
        expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([404, '*'])
      }
    }
    for (const path of ['/', '//', '///'])
      expect((await server.get(path, { method: 'OPTIONS' })).status).toBe(204)
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is not allowed anywhere', async (method) => {
    for (const path of [...V1, '/health', '/reference']) {
      const { status, headers, body } = await server.get(path, { method, body: '{"page":1}' })
      expect(status).toBe(405)
      expect(headers.get('Allow')).toBe('GET, HEAD, OPTIONS')
      expect(body.code).toBe('method_not_allowed')
    }
  })
})

onEngine('sqlite', 'every response', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('every V1 response has the deprecation headers, errors included', async () => {
    await using server = await serveRecords({ deprecatedAt: Date.UTC(2025, 5, 1) })
    const etag = (await server.get('/api/v1/passports')).headers.get('ETag') ?? ''
    const answers = [
      ...(await Promise.all(V1.map((path) => server.get(path)))),
      await server.get('/api/v1/passports', { headers: { 'If-None-Match': etag } }),
      await server.get('/api/v1/passports', { method: 'POST' }),
      await server.get('/api/v1/passports', { method: 'OPTIONS' }),
      await server.get('/api/v1/passports', { method: 'HEAD' }),
      await server.get('/api/v1/passports', { headers: { 'X-API-KEY': 'wrong' } }),
      await server.get('/api/v1/nothing'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 304, 405, 204, 200, 401, 404])
    for (const { headers } of answers) {
      expect(headers.get('Deprecation')).toBe('@1748736000')
      expect(headers.get('Link')).toBe(
        '</deprecation>; rel="deprecation"; type="text/html", </api/v3>; rel="successor-version"',
      )
      expect(headers.has('Sunset')).toBe(false)
    }
    expect((await server.get('/health')).headers.has('Deprecation')).toBe(false)
  })

  test('the request id is the one from the client if it is printable', async () => {
    const idFor = async (given?: string) => {
      const init = given === undefined ? {} : { headers: { 'X-Request-Id': given } }
      const { headers, body } = await server.get('/api/v1/passports/8', init)
      expect(body.request_id).toBe(headers.get('X-Request-Id'))
      return body.request_id as string
    }
    expect(await idFor('trace-1.a_B')).toBe('trace-1.a_B')
    const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
    for (const given of [undefined, '', 'two words', '"><script>', 'x'.repeat(65)])
      expect(await idFor(given)).toMatch(uuid)
    expect(await idFor()).not.toBe(await idFor())
  })

  test('HEAD has the headers of GET and no body', async () => {
    const init = { headers: { ...GOLDEN.headers, 'Accept-Encoding': 'identity' } }
    for (const path of [...V1, '/api/v1/passports/8', '/health']) {
      const get = await server.get(path, init)
      const head = await server.get(path, { ...init, method: 'HEAD' })
      const fields = ({ headers }: typeof get) =>
        Object.fromEntries([...headers].filter(([name]) => !['date', 'ratelimit'].includes(name)))
      expect(head.status).toBe(get.status)
      expect(head.text).toBe('')
      expect(fields(head)).toEqual(fields(get))
      expect(head.headers.get('Content-Length')).toBe(String(Buffer.byteLength(get.text)))
    }
  })

  test('pages of any origin may read responses', async () => {
    for (const path of [...V1, '/api/v1/passports/8', '/openapi.json']) {
      const { headers } = await server.get(path, { headers: { Origin: 'https://example.com' } })
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
      const exposed = headers.get('Access-Control-Expose-Headers')?.split(', ') ?? []
      for (const name of ['Content-Location', 'Deprecation', 'ETag', 'Link', 'Retry-After', 'X-Request-Id']) {
        expect(exposed).toContain(name)
      }
    }
  })

  test('a preflight allows the key, Authorization and any other header', async () => {
    await using server = await serveRecords({ requireKey: true })
    for (const path of V1) {
      const { status, headers } = await server.get(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://example.com',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'x-api-key,content-type',
        },
      })
      expect(status).toBe(204)
      expect(headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD, OPTIONS')
      // Browsers do not include Authorization in the star.
      expect(headers.get('Access-Control-Allow-Headers')?.split(', ')).toEqual(
        expect.arrayContaining(['X-API-KEY', 'Content-Type', 'Authorization', 'If-None-Match', '*']),
      )
    }
  })

  test('other request headers do not change the response', async () => {
    const { text } = await server.get('/api/v1/passports/7')
    for (const headers of [
      { 'Content-Type': 'application/json' },
      { Accept: 'text/html' },
      { Accept: 'application/xml;q=0.1' },
      { 'User-Agent': '' },
      { 'User-Agent': '() { :; }; 🐉'.replace('🐉', '%F0') },
      { Authorization: 'Bearer x', Cookie: 'a=b' },
    ]) {
      expect(await server.get('/api/v1/passports/7', { headers })).toMatchObject({ status: 200, text })
    }
  })
})

onEngine('sqlite', 'caching', (open) => {
  const server = shareServer(() => open(PEOPLE), serveTest)

  test('a request with a matching ETag gets 304 without a body', async () => {
    for (const path of V1) {
      const first = await server.get(path)
      const etag = first.headers.get('ETag') ?? ''
      expect(etag).toMatch(/^"[0-9a-z]+"$/)
      for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const again = await server.get(path, { method, headers: { 'If-None-Match': condition } })
          expect([again.status, again.text, again.headers.get('ETag')]).toEqual([304, '', etag])
          expect(again.headers.has('Content-Type')).toBe(false)
        }
      }
      for (const condition of ['"other"', '', etag.replaceAll('"', '')]) {
        expect((await server.get(path, { headers: { 'If-None-Match': condition } })).status).toBe(200)
      }
    }
  })

  test('If-Match gets 412 unless it has the current ETag or a star', async () => {
    for (const path of V1) {
      const { text, headers } = await server.get(path)
      const etag = headers.get('ETag') ?? ''
      for (const condition of [etag, ` ${etag} `, `"other",${etag}`, '*']) {
        const reply = await server.get(path, { headers: { 'If-Match': condition } })
        expect([reply.status, reply.text]).toEqual([200, text])
      }
      // If-Match compares strongly: a weak ETag never matches.
      for (const condition of ['"other"', `W/${etag}`, etag.replaceAll('"', '')]) {
        for (const more of [{}, { 'If-None-Match': etag }] as Record<string, string>[]) {
          const reply = await server.get(path, { headers: { 'If-Match': condition, ...more } })
          expect([reply.status, reply.body.code]).toEqual([412, 'precondition_failed'])
        }
      }
    }
    const missing = await server.get('/api/v1/passports/8', { headers: { 'If-Match': '*' } })
    expect(missing.status).toBe(404)
  })

  test('the ETag changes with the content', async () => {
    await using server = await serveRecords()
    const before = (await server.get(`/api/v1/passports/${ADA_WALLET}`)).headers.get('ETag') ?? ''
    expect((await server.get('/api/v1/passports/7')).headers.get('ETag')).toBe(before)
    const [ada] = PEOPLE.filter(({ id }) => id === 7)
    if (ada) await saveRecords(server.store, [{ ...ada, connections: 18 }])
    const { status, headers } = await server.get('/api/v1/passports/7', {
      headers: { 'If-None-Match': before },
    })
    expect(status).toBe(200)
    expect(headers.get('ETag')).not.toBe(before)
  })

  test('errors have Cache-Control no-store', async () => {
    const { status, headers } = await server.get('/api/v1/passports/8', { headers: { 'If-None-Match': '*' } })
    expect([status, headers.get('Cache-Control'), headers.get('ETag')]).toEqual([404, 'no-store', null])
  })
})

describe('on the wire', () => {
  describe('raw requests', () => {
    test('a malformed Host gets 400, an empty one is allowed', async () => {
      await using server = await serveRecords()
      const ask = (host: string, path = '/api/v1/passports/7') =>
        sendBytes(server.port, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
      for (const host of [
        'a/b',
        'a?b',
        '[::1',
        'a#b',
        'a b',
        'a@b',
        'a<b',
        'a, b',
        'a:b',
        '[zz]',
        'a\r\nHost: b',
      ]) {
        for (const path of ['/api/v1/passports/7', '/api/v1/passports', '/health', '/nothing']) {
          const answer = await ask(host, path)
          expect(answer).toStartWith('HTTP/1.1 400 Bad Request')
          expect(answer).toContain('"code":"invalid_request"')
        }
      }
      for (const host of ['', 'a', 'a_b.example:80', '127.0.0.1', '[::1]:8080']) {
        expect(await ask(host)).toStartWith('HTTP/1.1 200 OK')
      }
      const old = await sendBytes(server.port, 'GET /api/v1/passports/7 HTTP/1.0\r\n\r\n')
      expect(old).toStartWith('HTTP/1.1 200 OK')
    })
  })

  // If a response is asynchronous, Bun closes a connection on which the next request waits.
  test('pipelined requests on one connection get their responses in order', async () => {
    using folder = tempFolder()
    const store = openSqlite(join(folder.path, 'x.db'))
    await saveRecords(store, PEOPLE)
    await using server = serveTest(store)
    const ask = (id: number, more = '') => `GET /api/v1/passports/${id} HTTP/1.1\r\nHost: x\r\n${more}\r\n`
    const answer = await sendBytes(server.port, ask(7) + ask(8) + ask(3, 'Connection: close\r\n'))
    expect([...answer.matchAll(/HTTP\/1.1 (\d+)/g)].map((match) => match[1])).toEqual(['200', '404', '200'])
  })
})
