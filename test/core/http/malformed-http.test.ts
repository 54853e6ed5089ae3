import { expect, test } from 'bun:test'
import { sendBytes } from '../../support/http/raw-request.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveTest)

const SMUGGLED = 'GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

test.each([
  ['lines that end in LF alone', 'GET /health HTTP/1.1\nHost: x\n\n'],
  ['a header line that ends in LF alone', 'GET /health HTTP/1.1\r\nHost: x\nA: b\r\n\r\n'],
  ['no Host', 'GET /health HTTP/1.1\r\n\r\n'],
  ['two length headers', 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
  ['a Content-Length with two values', 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1, 1\r\n\r\n'],
  ['a Content-Length with a sign', 'GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\n'],
  [
    'Content-Length with chunked encoding',
    'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
  ],
  ['a folded header', 'GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['a space before the colon', 'GET /health HTTP/1.1\r\nHost : x\r\n\r\n'],
  ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: x\r\nabc\r\n\r\n'],
  ['a zero byte in a header', 'GET /health HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n'],
  ['a carriage return in a header', 'GET /health HTTP/1.1\r\nHost: x\r\nA: b\rc\r\n\r\n'],
  ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a path without a leading slash', 'GET a HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['no HTTP version', 'GET /health\r\nHost: x\r\n\r\n'],
  ['an unknown HTTP version', 'GET /health HTTP/2.0\r\nHost: x\r\n\r\n'],
  ['an invalid method', 'G(T /health HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a TLS hello', '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n'],
])('the runtime rejects %s and closes the connection', async (_, text) => {
  const reply = await sendBytes(server.port, text + SMUGGLED)
  expect(reply).toMatch(/^HTTP\/1\.1 [45]\d\d /)
  expect(reply).not.toContain('"status":"ok"')
})

test('an endless request line or header gets 431', async () => {
  const filler = `A: ${'x'.repeat(1000)}\r\n`.repeat(80)
  for (const text of [`GET / HTTP/1.1\r\nHost: x\r\n${filler}`, `GET /${'x'.repeat(80_000)}`]) {
    expect(await sendBytes(server.port, text)).toStartWith('HTTP/1.1 431 ')
  }
})
