import { expect, test } from 'bun:test'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { shareServer } from '../../support/http/server.ts'
import { LOOKUP, post, serveLookup } from '../../support/http/servers.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const read = (name: string) => readFileSync(join(import.meta.dir, '../../support/postgres', name), 'utf8')
const TLS = { cert: read('postgres-tls.crt'), key: read('postgres-tls.key') }
const TRUST = { tls: { rejectUnauthorized: false } }

const server = shareServer(
  () => openTestStore('sqlite', PEOPLE),
  (store) => serveExplorer(store, { tls: TLS }),
)

test('the API and the pages are served over HTTPS, with https links', async () => {
  expect(server.url.protocol).toBe('https:')
  const passport = await fetch(`${server.url}api/v3/passports/7`, TRUST)
  expect(passport.status).toBe(200)
  expect(passport.headers.get('RateLimit')).toContain('anonymous')
  const page = await fetch(`${server.url}passports/7`, TRUST)
  expect(await page.text()).toContain(`<link rel="canonical" href="${server.url}passports/7">`)
})

test('HTTPS streams the response of a POST lookup', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  await using server = await serveLookup(store, { tls: TLS })
  const init = post(server.key, '{"keys":["7","3"]}', { Accept: 'application/x-ndjson' })
  const response = await fetch(server.url.origin + LOOKUP, { ...init, ...TRUST })
  const items = (await response.text()).trim().split('\n')
  expect([response.status, items.map((item) => JSON.parse(item).key)]).toEqual([200, ['7', '3']])
})

test('HTTP/2 multiplexes requests on one connection, with the same headers and bodies', async () => {
  const session = connectHttp2(server.url.origin, { rejectUnauthorized: false })
  const ask = async (path: string) => {
    const stream = session.request({ ':path': path, 'x-request-id': 'h2' })
    const [headers] = await once(stream, 'response')
    return { headers, body: await text(stream) }
  }
  const paths = ['/api/v3/passports/7', '/api/v3/passports', '/api/v3/passports/8', '/health']
  const replies = await Promise.all(paths.map(ask))
  expect(replies.map(({ headers }) => headers[':status'])).toEqual([200, 200, 404, 200])
  for (const { headers } of replies) expect(headers['x-request-id']).toBe('h2')
  const plain = await fetch(`${server.url}api/v3/passports/7`, TRUST)
  expect(replies[0]?.body).toBe(await plain.text())
  session.close()
})
