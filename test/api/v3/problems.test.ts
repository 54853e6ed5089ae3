import { expect, test } from 'bun:test'
import { formatCursor, parseSort } from '../../../src/domain/lists/list-request.ts'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEngine, openTestStore } from '../../support/store/engines.ts'
import { PEOPLE } from '../../support/store/records.ts'

const server = shareServer(
  () => openTestStore('sqlite', PEOPLE),
  async (store) => ({ ...serveTest(store), key: (await makeKey(store, 1)).key }),
)

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test('an unknown path of v3 gets problem+json, without the headers of V1', async () => {
  for (const path of ['api/v3', 'api/v3/', 'api/v3/nothing', 'api/v3/a/b']) {
    const response = await fetch(server.url + path, { headers: { 'X-Request-Id': 'mine' } })
    expect(response.status).toBe(404)
    expect(response.headers.get('Content-Type')).toBe('application/problem+json')
    expect(response.headers.get('Cache-Control')).toBe('no-store')
    expect(response.headers.has('Deprecation') || response.headers.has('Link')).toBe(false)
    expect(await response.json()).toEqual({
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'There is no such path in v3: /openapi.json and /reference/v3 list the paths.',
      code: 'not_found',
      request_id: 'mine',
      errors: [],
    })
  }
})

test.each([
  ['/passports?keyword=ada', '"keyword" is a parameter of V1: use q.'],
  ['/passports?page=2', '"page" is a parameter of V1: use cursor.'],
  ['/passports?per_page=5', '"per_page" is a parameter of V1: use limit.'],
  ['/passports/7?page=2', '"page" is not a known parameter: use include, select, as_of.'],
  ['/passports?constructor=1', '"constructor" is not a known parameter: use q, filter, sort'],
])('%s gets an error that names the parameters of v3', async (target, detail) => {
  const { status, body } = await server.get(`/api/v3${target}`)
  expect(status).toBe(400)
  expect(body.detail).toStartWith(detail)
})

const NAMES = Array.from({ length: 30 }, (_, at) => `scoree${at}`)

test.each<[string, string, RequestInit]>([
  ['fields', `/passports/7?select=${NAMES}`, {}],
  ['included parts', `/passports?include=${NAMES}`, {}],
  ['event types', `/events?types=${NAMES}`, {}],
  ['parameters', `/passports?${NAMES.join('&')}`, {}],
  ['fields of a lookup', '/lookup', json({ keys: [], select: NAMES })],
  [
    'members of a lookup',
    '/lookup',
    json({ keys: [], ...Object.fromEntries(NAMES.map((name) => [name, 1])) }),
  ],
])('only the first of many unknown %s gets a suggestion, and 20 are reported', async (_, target, init) => {
  const headers = { ...init.headers, 'X-API-KEY': server.key }
  const { status, body } = await server.get(`/api/v3${target}`, { ...init, headers })
  expect(status).toBe(400)
  expect(body.errors).toHaveLength(20)
  const [first, ...others] = body.errors.map(({ detail }: { detail: string }) => detail)
  expect(first).toMatch(/^"scoree0" is not a known [a-z ]+: (?:use|did you mean) .*[.?]$/)
  for (const [at, detail] of others.entries())
    expect(detail).toMatch(new RegExp(`^"scoree${at + 1}" is not a known [a-z ]+\\.$`))
})

test('an unknown name that is repeated is reported once', async () => {
  const { body } = await server.get('/api/v3/passports/7?select=scor,score,scor,scor')
  expect(body.errors).toEqual([
    { pointer: '?select', detail: '"scor" is not a known field: did you mean score?' },
  ])
})

test('a list with more than 100 names gets 400', async () => {
  const { status, body } = await server.get(`/api/v3/passports/7?select=${'score,'.repeat(100)}score`)
  expect([status, body.errors]).toEqual([
    400,
    [{ pointer: '?select', detail: 'select may have at most 100 names, got more.' }],
  ])
})

test('a query with more than 100 parameters gets 400', async () => {
  const { status, body } = await server.get(`/api/v3/passports?${'&'.repeat(100)}`)
  expect([status, body.errors]).toEqual([
    400,
    [{ pointer: '?', detail: 'The query may have at most 100 parameters, got more.' }],
  ])
})

test('a body above 1 MiB gets problem+json on v3, and an empty 413 elsewhere', async () => {
  const init = { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }
  const response = await fetch(`${server.url}api/v3/nothing`, init)
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ title: 'Content Too Large', code: 'content_too_large' })
  const other = await fetch(`${server.url}api/v1/passports`, init)
  expect(other.status).toBe(413)
  expect(await other.text()).toBe('')
})

type Invalid = [
  what: string,
  target: string,
  init: RequestInit,
  status: number,
  code: string,
  pointer?: string,
]

const get = (what: string, target: string, pointer: string): Invalid => [
  what,
  `/api/v3${target}`,
  {},
  400,
  'invalid_request',
  pointer,
]
const lookup = (what: string, body: unknown, pointer: string): Invalid => [
  what,
  '/api/v3/lookup',
  json(body),
  400,
  'invalid_request',
  pointer,
]

/** The cursor of a list without a filter. */
const CURSOR = formatCursor({ keyword: undefined, filter: [], sort: parseSort() }, { value: 42.5, id: 7 })

const INVALID: Invalid[] = [
  ...['/passports', '/passports/7', '/passports/7/diff', '/rules/x', '/events', '/lookup'].map(
    (path): Invalid => {
      const init = path === '/lookup' ? json({ keys: [] }) : {}
      return [
        `an unknown parameter of ${path}`,
        `/api/v3${path}?tset=1`,
        init,
        400,
        'invalid_request',
        '?tset',
      ]
    },
  ),
  get('a malformed escape in a path', '/passports/%zz', '{key}'),
  get('an escape that ends early in a path', '/passports/7%2/diff?from=2026-01-01', '{key}'),
  get('an escape that is not UTF-8 in a path', '/rules/%FF', '{stamp}'),
  get('a malformed escape in a value', '/passports?q=%zz', '?q'),
  get('a malformed escape in a name', '/passports?%q=1', '?%q'),
  get('an escape that is not UTF-8 in a value', '/passports?q=%C3', '?q'),
  get('a repeated parameter', '/passports?limit=1&limit=2', '?limit'),
  get('a malformed list cursor', '/passports?cursor=!', '?cursor'),
  get('a truncated list cursor', `/passports?cursor=${CURSOR.slice(0, -3)}`, '?cursor'),
  get('the list cursor of another filter', `/passports?filter=human:true&cursor=${CURSOR}`, '?cursor'),
  get('the list cursor of another order', `/passports?sort=score&cursor=${CURSOR}`, '?cursor'),
  get('a page with parts that is too large', '/passports?limit=51&include=standing', '?limit'),
  get(
    'a page with selected parts that is too large',
    '/passports?limit=51&select=credentials.score',
    '?limit',
  ),
  get('an empty filter', '/passports?filter=', '?filter'),
  get('a blank filter', '/passports?filter=%20', '?filter'),
  get('an empty order', '/passports?sort=', '?sort'),
  get('an empty select', '/passports?select=', '?select'),
  get('an empty list of event types', '/events?types=', '?types'),
  [
    'the limit of a stream',
    '/api/v3/events?limit=5',
    { headers: { Accept: 'text/event-stream' } },
    400,
    'invalid_request',
    '?limit',
  ],
  get('an instant without an offset', '/passports/7?as_of=2025-10-01T12:00:00', '?as_of'),
  get('an instant without seconds and offset', '/passports/7?as_of=2025-10-01T12:00', '?as_of'),
  get('a begin without an offset', '/passports/7/diff?from=2025-10-01T12:00:00.000', '?from'),
  get('a malformed event cursor', '/events?after=yesterday', '?after'),
  get('too large a page of a list', '/passports?limit=251', '?limit'),
  get('too large a page of events', '/events?limit=1001', '?limit'),
  get('an unknown order', '/passports?sort=name', '?sort'),
  get('an unknown group', '/passports?group_by=bio', '?group_by'),
  get('a malformed filter', '/passports?filter=score:%3E', '?filter'),
  get('an unknown include of a list', '/passports?include=all', '?include'),
  get('an unknown include', '/passports/7?include=credential', '?include'),
  get('an unknown field', '/passports/7?select=scor', '?select'),
  get('an unknown event type', '/events?types=score.change', '?types'),
  get('a malformed key', '/passports/lens:', '{key}'),
  get('a malformed instant', '/passports/7?as_of=noon', '?as_of'),
  get('a day that does not exist', '/passports/7?as_of=2025-02-30', '?as_of'),
  get('an instant in the future', '/passports/7?as_of=9999-12-31', '?as_of'),
  get('a malformed begin', '/passports/7/diff?from=1', '?from'),
  get('a missing begin', '/passports/7/diff', '?from'),
  lookup('no keys', { select: ['score'] }, '#'),
  lookup('a repeated member', '{"keys":["7"],"select":["score"],"keys":["8"]}', '#/keys'),
  lookup('a repeated member with escapes', '{"keys":["a\\\\","\\""],"k\\u0065ys":[]}', '#/keys'),
  lookup('a long unknown member', { keys: [], ['x'.repeat(100)]: 1 }, '#'),
  lookup('an unknown member with other letters', { keys: [], 'ké y~/': 1 }, '#/k%C3%A9%20y~0~1'),
  lookup('an unknown member that is not Unicode', '{"keys":[],"\\ud800":1}', '#'),
  lookup('an empty select of a lookup', { keys: [], select: [] }, '#/select'),
  lookup('too many fields of a lookup', { keys: [], select: Array(101).fill('score') }, '#/select'),
  lookup('an instant without an offset in a lookup', { keys: [], as_of: '2025-10-01T12:00:00' }, '#/as_of'),
  lookup('an unknown member', { keys: [], as_off: '' }, '#/as_off'),
  lookup('too many keys', { keys: Array(1001).fill('7') }, '#/keys'),
  lookup('a key that is not text', { keys: ['7', 7] }, '#/keys/1'),
  lookup('an unknown include of a lookup', { keys: [], include: ['credentials', 'all'] }, '#/include/1'),
  lookup('a malformed instant of a lookup', { keys: [], as_of: 'noon' }, '#/as_of'),
  lookup('an instant that is a number', { keys: [], as_of: 5 }, '#/as_of'),
  lookup('a body that is not JSON', '{"keys":', '#'),
  lookup('a body that is not an object', [], '#'),
  ['another content type', '/api/v3/lookup', { method: 'POST', body: '{}' }, 415, 'unsupported_media_type'],
  [
    'a body over 1 MiB',
    '/api/v3/lookup',
    json(`{"keys":["${'x'.repeat(2 ** 20)}"]}`),
    413,
    'content_too_large',
  ],
  ['the event cursor of another log', '/api/v3/events?after=abc-1', {}, 410, 'cursor_expired'],
  ['an instant before the log', '/api/v3/passports/7?as_of=2020-01-01', {}, 404, 'before_history'],
  ...[[], ['7'], ['404'], ['lens:', ' '], ['7', 'lens:']].map(
    (keys): Invalid => [
      `an instant before the log, with the keys ${JSON.stringify(keys)}`,
      '/api/v3/lookup',
      json({ keys, as_of: '2020-01-01' }),
      404,
      'before_history',
    ],
  ),
  ['a begin before the log', '/api/v3/passports/7/diff?from=2020-01-01', {}, 404, 'before_history'],
  ['an unknown passport', '/api/v3/passports/404', {}, 404, 'not_found'],
  ['an unknown rule set', '/api/v3/rules/x', {}, 404, 'not_found'],
  ['a method of another path', '/api/v3/passports/7', { method: 'POST' }, 405, 'method_not_allowed'],
]

onEngine('sqlite', 'problems', (open) => {
  test('each invalid request gets its own problem that names the invalid value', async () => {
    await using store = await open(PEOPLE)
    await using server = serveTest(store)
    const { key } = await makeKey(store, 1)
    const details = new Map<string, string>()
    for (const [what, target, init, status, code, pointer] of INVALID) {
      const headers = { ...(init.headers as Record<string, string>), 'X-API-KEY': key }
      const reply = await server.get(target, { ...init, headers })
      const { body } = reply
      const got = [what, reply.status, body.code, body.errors[0]?.pointer]
      expect(got).toEqual([what, status, code, pointer])
      expect(reply.headers.get('Content-Type')).toBe('application/problem+json')
      expect(body.detail).toMatch(/^.{10,300}[.?]$/)
      details.set(what, body.detail)
    }
    expect(server.errors).toEqual([])
    expect(details.get('an unknown include')).toContain('did you mean credentials?')
    expect(details.get('too many keys')).toBe('keys may have at most 1000 entries, got 1001.')
  })
})
