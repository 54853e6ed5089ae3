import { expect, test } from 'bun:test'
import { serveExplorer, servePeople } from '../../support/explorer/explorer-server.ts'
import { pathsOfFrozen } from '../../support/frozen/frozen-versions.ts'
import { sendBytes } from '../../support/http/raw-request.ts'
import { serveRecords, serveTest, shareServer } from '../../support/http/server.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

/** Syntax of SQL, LIKE patterns and full-text search, and the NUL character, which PostgreSQL does not accept. */
const SQL = [
  ...[
    "' or 1=1 --",
    "'; drop table passports; --",
    '" or "" = "',
    '") or name match ("a',
    '%',
    '_',
    '%%%',
    'a%a',
    '\\',
    "\\' or true --",
    '$1',
    '\0',
    'ada\0',
    '7\0',
  ],
  ...['?1', '*', 'ada*', 'a AND b', 'NEAR(a b)', 'name : ada', '^ada', '-ada', '{a b}'],
]

onEveryEngine('request parameters are data', (open) => {
  test('SQL and search syntax in a keyword, an id or a wallet has no effect', async () => {
    await using store = await open(PEOPLE)
    await using server = serveTest(store)
    for (const text of SQL.map(encodeURIComponent)) {
      const list = await server.get(`/api/v3/passports?q=${text}`)
      expect(list).toMatchObject({ status: 200, body: { total: 0 } })
      expect([400, 404]).toContain((await server.get(`/api/v3/passports/${text}`)).status)
      for (const path of pathsOfFrozen(text)) expect((await server.get(path)).status).toBe(404)
    }
    expect((await server.get('/api/v3/passports')).body.total).toBe(3)
    expect(server.errors).toEqual([])
  })
})

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

const send = (port: number, head: string) => sendBytes(port, `${head}Connection: close\r\n\r\n`)

test('no request path gives access to a file', async () => {
  const inside = ['package.json', 'src/main.ts', 'etc/passwd']
  const ways = ['/', '/../', '/../../../../', '/..%2f..%2f', '/%2e%2e/', '/style.css/../', '/badge/../', '//']
  for (const path of ways.flatMap((way) => inside.map((file) => way + file))) {
    expect(await send(server.port, `GET ${path} HTTP/1.1\r\nHost: a\r\n`)).toStartWith('HTTP/1.1 404 ')
  }
})

test('links are built from a well-formed Host, and never from a proxy header', async () => {
  const evil = 'evil.example'
  const ask = (fields: string, target = '/passports/7') =>
    send(server.port, `GET ${target} HTTP/1.1\r\n${fields}\r\n`)
  const proxied = `Host: good.example\r\nX-Forwarded-Host: ${evil}\r\nX-Forwarded-Proto: https\r\nForwarded: host=${evil}\r\nX-Original-URL: /${evil}\r\nX-Rewrite-URL: /${evil}`
  for (const reply of [await ask(proxied), await ask(proxied, `http://${evil}/passports/7`)]) {
    expect(reply).toStartWith('HTTP/1.1 200 ')
    expect(reply).not.toContain(evil)
  }
  for (const host of [`${evil}"><script>`, `a@${evil}`, `a/${evil}`]) {
    const reply = await ask(`Host: ${host}`)
    expect(reply).toStartWith('HTTP/1.1 400 ')
    expect(reply).not.toContain(evil)
  }
  await using known = await servePeople(PEOPLE, { publicUrl: 'https://known.example' })
  const page = await send(known.port, `GET /passports/7 HTTP/1.1\r\nHost: ${evil}\r\n`)
  expect(page).toContain('https://known.example/passports/7')
  expect(page).not.toContain(evil)
})

test('a client cannot set response headers', async () => {
  const mark = 'X-Mark: 1'
  const coded = '%0d%0aX-Mark:%201'
  for (const head of [
    `GET /api/v3/passports?q=${coded} HTTP/1.1\r\nHost: a\r\n`,
    `GET /api/v3/passports/${coded} HTTP/1.1\r\nHost: a\r\n`,
    `GET /${coded} HTTP/1.1\r\nHost: a\r\n`,
    `GET /api/v3/passports HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\n${mark}\r\n`,
    `GET /api/v3/passports HTTP/1.1\r\nHost: a\r\nX-Request-Id: a${coded}\r\n`,
    `OPTIONS /api/v3/passports HTTP/1.1\r\nHost: a\r\nOrigin: b\r${mark}\r\nAccess-Control-Request-Headers: ${coded}\r\n`,
    `GET /api/v3/passports HTTP/1.1\r\nHost: a\r\nOrigin: b${coded}\r\nIf-None-Match: ${coded}\r\n`,
  ]) {
    const [fields] = (await send(server.port, head)).split('\r\n\r\n')
    expect(fields).toStartWith('HTTP/1.1 ')
    expect(fields?.toLowerCase()).not.toContain('x-mark')
  }
})

test('web pages of other origins may send an API key, but no cookies or passwords of the browser', async () => {
  await using server = await serveRecords({ requireKey: true })
  const asking = { Origin: 'https://evil.example', Cookie: 'key=1', Authorization: 'Basic eDp5' }
  for (const method of ['GET', 'OPTIONS']) {
    const { headers } = await server.get('/api/v3/passports', { method, headers: asking })
    // Browsers reject * for requests with credentials. No Vary is needed, because the value is always *.
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.has('Access-Control-Allow-Credentials')).toBe(false)
    expect(headers.has('Set-Cookie')).toBe(false)
  }
  expect((await server.get('/api/v3/passports', { headers: asking })).status).toBe(401)
})

test('every page and SVG has a restrictive Content-Security-Policy', async () => {
  const paths = ['/', '/passports/7', '/passports/7/score', '/passports/none', '/badge/7.svg', '/card/7.svg']
  for (const path of [...paths, '/reference', '/deprecation', '/assets/style.css', '/assets/ranking.js']) {
    const { headers, text } = await server.look(path)
    const policy = headers.get('Content-Security-Policy')?.split('; ') ?? []
    expect(policy).toEqual(
      expect.arrayContaining(["default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]),
    )
    expect(policy.join()).not.toMatch(/unsafe|https?:|\*/)
    expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    if (text.startsWith('<!doctype html>'))
      expect(text).toContain('<meta name="referrer" content="no-referrer">')
  }
})

test('the responses of /health and /ready contain nothing but a status', async () => {
  expect((await server.get('/health')).body).toEqual({ status: 'ok' })
  expect((await server.get('/ready')).body).toEqual({ status: 'ready', writes: 'ok' })
})
