import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { shareServer } from '../../support/http/server.ts'
import { serveLookup } from '../../support/http/servers.ts'
import { API_ROUTES } from '../../support/program/serving.ts'
import { onEveryEngine } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'
import { unicodeCharacter } from '../../support/unicode-character.ts'

const oddText = fc.oneof(
  fc.string({ unit: unicodeCharacter, maxLength: 40 }),
  fc.constantFrom(
    ...['7', '900', 'lens:ada', 'lens:', ':', '0', '-1', '1e9', '9'.repeat(30), '', 'null', 'é'],
    ...['..', '#', '?', '&&=', '[]', '\ud800'],
  ),
)
const coded = fc.oneof(
  oddText.map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 40 }),
  fc.constantFrom('%', '%ff', '%00'),
)
/** Paths of all routes, with unusual parameters. */
const path = fc.oneof(
  fc
    .tuple(fc.constantFrom(...API_ROUTES.map((route) => route.path)), coded)
    .map(([template, text]) => template.replace(/:\w+|\*/, () => text)),
  fc.constantFrom('/', '/health', '/reference', '/api/v3/passports/7/diff'),
  coded.map((text) => `/${text}`),
)
const name = fc.constantFrom(...new Set(API_ROUTES.flatMap(({ query = {} }) => Object.keys(query))), 'selct')
const field = fc.constantFrom('score', 'passport_profile.bio', 'credentials.score', 'standing', 'scor')
const value = fc.constantFrom(
  ...[
    'human:true',
    'score:%3E1,tag:!x|y',
    'score:%3E',
    'tag:%22',
    '-score',
    'score',
    'type',
    '1',
    '250',
    '251',
  ],
  ...['MjYgNyA0YjFkMGM5Zg', 'MA', 'latest', 'k3f9a2-1', 'k3f9a2-', 'score.changed', 'score.changed,x'],
  ...['2026-01-02T12:00:00Z', '2026-02-30', '9999-12-31', '-1', '2020-01-01', '2026-01-02%2012:00'],
)
const query = fc.array(
  fc.tuple(
    fc.oneof({ arbitrary: name, weight: 4 }, coded),
    fc.oneof(coded, value, fc.array(field, { maxLength: 3 }).map(String)),
  ),
  { maxLength: 4 },
)
const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
})
const headers = fc.dictionary(
  fc.constantFrom('X-Request-Id', 'If-None-Match', 'Accept', 'Content-Type', 'User-Agent', 'Range', 'Origin'),
  fc.oneof(headerValue, fc.constantFrom('undefined', '*', 'bytes=0-1', 'ppd_0001020304_05')),
)
const method = fc.constantFrom(
  ...['GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'POST', 'QUERY', 'PUT', 'DELETE', 'PATCH'],
)

const body = fc.oneof(
  fc.json(),
  fc.string({ unit: unicodeCharacter, maxLength: 60 }),
  fc
    .record(
      {
        keys: fc.oneof(fc.array(oddText), fc.array(fc.jsonValue()), fc.jsonValue()),
        include: fc.oneof(fc.array(field), fc.jsonValue()),
        select: fc.oneof(fc.array(field), fc.jsonValue()),
        as_of: fc.oneof(value, fc.jsonValue()),
        other: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record({ keys: fc.array(oddText, { maxLength: 30 }), select: fc.constant(['score']) })
    .map((value) => JSON.stringify(value)),
)

onEveryEngine('random requests', (open) => {
  const server = shareServer(() => open(PEOPLE), serveLookup)

  test('any request gets a response below 500 that conforms to the OpenAPI document', async () => {
    const keys = fc.oneof(fc.constantFrom('', server.key), headerValue)
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(path, query, headers, method, keys, async (path, query, headers, method, key) => {
        const target = `${path}?${query.map(([name, value]) => `${name}=${value}`).join('&')}`
        const reply = await server.get(target, { method, headers: { ...headers, 'X-API-KEY': key } })
        statuses.add(reply.status)
        expect(reply.status).toBeLessThan(500)
        if (reply.status >= 400 && method !== 'HEAD') expect(reply.body.code).toBeString()
      }),
      {
        numRuns: 600,
        examples: [
          ['/api/v3/passports', [['limit', '0']], {}, 'GET', ''],
          ['/api/v3/passports', [], {}, 'GET', ''],
          ['/api/v3/events', [], {}, 'GET', ''],
          ['/api/v3/subscriptions/%00', [], {}, 'GET', server.key],
        ],
      },
    )
    expect(server.errors).toEqual([])
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 204, 400, 401, 404, 405]))
  })

  test('a lookup with any body gets items in the order of its keys, or a problem+json error', async () => {
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(body, async (body) => {
        const reply = await server.send(body)
        statuses.add(reply.status)
        if (reply.status === 404) expect(reply.body.code).toBe('before_history')
        else if (reply.status === 400) expect(reply.body.errors).not.toEqual([])
        else expect(reply.body.items.map((item: { key: string }) => item.key)).toEqual(JSON.parse(body).keys)
      }),
      { numRuns: 250, examples: [['{"keys":["7"]}']] },
    )
    expect(server.errors).toEqual([])
    expect([...statuses].filter((status) => status !== 404).sort()).toEqual([200, 400])
  })
})
