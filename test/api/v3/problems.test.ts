import { expect, test } from 'bun:test'
import { makeKey } from '../../support/http/keys.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { openTestStore } from '../../support/store/engines.ts'
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

type Invalid = [what: string, target: string, pointer: string, init: RequestInit]

const get = (what: string, target: string, pointer: string, init: RequestInit = {}): Invalid => [
  what,
  `/api/v3${target}`,
  pointer,
  init,
]
const lookup = (what: string, body: unknown, pointer: string): Invalid =>
  get(what, '/lookup', pointer, json(body))

const INVALID: Invalid[] = [
  get('a malformed escape in a path', '/passports/%zz', '{key}'),
  get('an escape that ends early in a path', '/passports/7%2/diff?from=2026-01-01', '{key}'),
  get('an escape that is not UTF-8 in a path', '/rules/%FF', '{stamp}'),
  get('a malformed escape in a value', '/passports?q=%zz', '?q'),
  get('a malformed escape in a name', '/passports?%q=1', '?%q'),
  get('an escape that is not UTF-8 in a value', '/passports?q=%C3', '?q'),
  get('a page with parts that is too large', '/passports?limit=51&include=standing', '?limit'),
  get('a page with selected parts', '/passports?limit=51&select=credentials.score', '?limit'),
  get('an empty filter', '/passports?filter=', '?filter'),
  get('a blank filter', '/passports?filter=%20', '?filter'),
  get('an empty order', '/passports?sort=', '?sort'),
  get('an empty select', '/passports?select=', '?select'),
  get('an empty list of event types', '/events?types=', '?types'),
  get('the limit of a stream', '/events?limit=5', '?limit', { headers: { Accept: 'text/event-stream' } }),
  lookup('a long unknown member', { keys: [], ['x'.repeat(100)]: 1 }, '#'),
  lookup('an unknown member with other letters', { keys: [], 'ké y~/': 1 }, '#/k%C3%A9%20y~0~1'),
  lookup('an unknown member that is not Unicode', '{"keys":[],"\\ud800":1}', '#'),
  lookup('too many fields of a lookup', { keys: [], select: Array(101).fill('score') }, '#/select'),
]

test.each(INVALID)('%s gets a problem that names the invalid value', async (_, target, pointer, init) => {
  const headers = { ...init.headers, 'X-API-KEY': server.key }
  const { status, body, headers: sent } = await server.get(target, { ...init, headers })
  expect([status, body.code, body.errors[0]?.pointer]).toEqual([400, 'invalid_request', pointer])
  expect(sent.get('Content-Type')).toBe('application/problem+json')
  expect(body.detail).toMatch(/^.{10,300}[.?]$/)
})

test.each([[], ['7'], ['404'], ['lens:', ' '], ['7', 'lens:']].map((keys) => [keys]))(
  'a lookup of %j at an instant before the log gets 404',
  async (keys) => {
    const init = json({ keys, as_of: '2020-01-01' })
    const headers = { ...init.headers, 'X-API-KEY': server.key }
    const { status, body } = await server.get('/api/v3/lookup', { ...init, headers })
    expect([status, body.code]).toEqual([404, 'before_history'])
  },
)
