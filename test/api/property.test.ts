import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { serveTest } from '../support/http/server.ts'
import { onEveryEngine } from '../support/store/engines.ts'
import { PEOPLE } from '../support/store/records.ts'

const oddText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '7',
    '0',
    '-1',
    '1e9',
    '%',
    '%ff',
    '%00',
    '..',
    '',
    'null',
    '9'.repeat(30),
    'é',
    '#',
    '?',
    '&&=',
    '[]',
  ),
)
const path = fc.oneof(
  fc.constantFrom(
    '/api/v1/passports',
    '/api/v1/passport_credentials',
    '/api/v1/',
    '/',
    '/health',
    '/reference',
  ),
  oddText.map((text) => `/api/v1/passports/${text}`),
  oddText.map((text) => `/${text}`),
)
const query = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom('page', 'per_page', 'keyword', 'passport_id', 'id', 'limit'), oddText),
    oddText,
  ),
  { maxLength: 4 },
)
const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
})
const headers = fc.dictionary(
  fc.constantFrom(
    'X-API-KEY',
    'X-Request-Id',
    'If-None-Match',
    'Accept',
    'Content-Type',
    'User-Agent',
    'Range',
    'Origin',
  ),
  fc.oneof(headerValue, fc.constantFrom('undefined', '*', 'bytes=0-1', 'ppd_0001020304_05')),
)
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH')

onEveryEngine('random requests', (open) => {
  test('any request gets a response below 500 that conforms to the OpenAPI document', async () => {
    await using store = await open(PEOPLE)
    await using server = serveTest(store)
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(path, query, headers, method, async (path, query, headers, method) => {
        const target = `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`
        const reply = await server.get(target, {
          method,
          headers,
        })
        statuses.add(reply.status)
        expect(reply.status).toBeLessThan(500)
        if (reply.status >= 400 && method !== 'HEAD') {
          expect(Object.keys(reply.body)).toEqual(['error', 'code', 'request_id'])
        }
      }),
      { numRuns: 300, examples: [['/api/v1/passports', [['page', '0']], {}, 'GET']] },
    )
    expect(server.errors).toEqual([])
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 204, 400, 401, 404, 405]))
  })
})
