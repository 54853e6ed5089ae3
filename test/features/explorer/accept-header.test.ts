import { expect, test } from 'bun:test'
import { serveExplorer } from '../../support/explorer/explorer-server.ts'
import { pathsOfFrozen } from '../../support/frozen/frozen-versions.ts'
import { shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const HTML = 'text/html; charset=utf-8'
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'
const AXIOS = 'application/json, text/plain, */*'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveExplorer)

const look = (path: string, accept: string) => server.look(path, { headers: { Accept: accept } })

test.each([
  '',
  '*/*',
  'text/*',
  BROWSER,
  'text/html, application/json',
  'application/json;q=0.5, text/html',
  'image/png',
  ';q=,,/',
])('a request with Accept: %p gets the page', async (accept) => {
  for (const path of ['/', '/passports/7', '/passports/7/score']) {
    const { status, headers } = await look(path, accept)
    expect([status, headers.get('Content-Type')]).toEqual([200, HTML])
    expect(headers.get('Vary')).toBe('Accept-Encoding, Accept, X-API-KEY')
  }
  expect((await look('/passports/4711', accept)).headers.get('Content-Type')).toBe(HTML)
})

test.each(['application/json', 'APPLICATION/JSON; charset=utf-8', 'application/*', AXIOS])(
  'a request with Accept: %p gets a JSON error that names the path in v3',
  async (accept) => {
    for (const [path, api] of [
      ['/', 'passports'],
      ['/passports/7', 'passports/7'],
      ['//passports/7/', 'passports/7'],
      ['/passports/0xAb%20c', 'passports/0xAb%20c'],
      ['/passports/7/score', 'passports/7'],
      ['/credentials/github', 'passports'],
    ] as const) {
      const { status, headers, text } = await look(path, accept)
      expect([status, headers.get('Content-Type')]).toEqual([406, 'application/json'])
      expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
      expect(JSON.parse(text)).toEqual({
        error: `This is a page for people. Request JSON from /api/v3/${api}.`,
        code: 'not_acceptable',
        request_id: headers.get('X-Request-Id'),
      })
    }
  },
)

test.each(['*/*', ''])(
  'a request with a key and Accept: %p gets the same response as one with Accept: application/json',
  async (accept) => {
    const paths = ['/', '/passports/7', '/passports', '/nothing', '/v1/passports/7']
    for (const path of [...paths, ...pathsOfFrozen(7), '/api/v9/x']) {
      const ask = (headers: Record<string, string>) =>
        server.look(path, { headers: { 'X-Request-Id': 'same', ...headers } })
      const [given, json] = await Promise.all([
        ask({ Accept: accept, 'X-API-KEY': 'undefined' }),
        ask({ Accept: 'application/json' }),
      ])
      expect([given.status, given.text]).toEqual([json.status, json.text])
      expect(given.headers.get('Content-Type')).toBe('application/json')
    }
  },
)

test('a request with a key gets the page if its Accept header names HTML', async () => {
  const headers = { Accept: BROWSER, 'X-API-KEY': 'undefined' }
  expect((await server.look('/passports/7', { headers })).headers.get('Content-Type')).toBe(HTML)
})

test.each([
  ['/passports', 404, 'not_found'],
  ['/passports/7/8', 404, 'not_found'],
  ['/?page=abc', 406, 'not_acceptable'],
  [`/passports/${'x'.repeat(9000)}`, 406, 'not_acceptable'],
])('a client that prefers JSON gets errors as JSON: %s', async (path, status, code) => {
  const reply = await look(path, AXIOS)
  expect([reply.status, reply.headers.get('Content-Type')]).toEqual([status, 'application/json'])
  expect(JSON.parse(reply.text).code).toBe(code)
  expect((await look(path, BROWSER)).headers.get('Content-Type')).toBe(HTML)
})

test('a request for a badge or card gets the SVG, whatever its Accept header', async () => {
  for (const path of ['/badge/7.svg', '/card/7.svg']) {
    const { status, headers } = await look(path, 'application/json')
    expect([status, headers.get('Content-Type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
  }
})
