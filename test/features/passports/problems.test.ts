import { expect, test } from 'bun:test'
import { shareServer } from '../../support/http/server.ts'
import { serveLookup } from '../../support/http/servers.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { NOON, PEOPLE } from '../../support/store/records.ts'

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveLookup)

const json = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

test('an unknown path of v3 gets problem+json, without the deprecation headers of V1', async () => {
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

const NAMES = Array.from({ length: 30 }, (_, at) => `scoree${at}`)

test.each<[string, string, RequestInit]>([
  ['fields', `/passports/7?select=${NAMES}`, {}],
  ['included parts', `/passports?include=${NAMES}`, {}],
  ['event types', `/events?types=${NAMES}`, {}],
  ['parameters', `/passports?${NAMES.join('&')}`, {}],
  ['fields of a lookup', '/lookup', json({ keys: [], select: NAMES })],
])('at most 20 unknown %s are reported, and the first one has a suggestion', async (_, target, init) => {
  const headers = { ...init.headers, 'X-API-KEY': server.key }
  const { status, body } = await server.get(`/api/v3${target}`, { ...init, headers })
  expect(status).toBe(400)
  expect(body.errors).toHaveLength(20)
  const [first, ...others] = body.errors.map(({ detail }: { detail: string }) => detail)
  expect(first).toMatch(/^"scoree0" is not a known [a-z ]+: (?:use|did you mean) .*[.?]$/)
  for (const [at, detail] of others.entries())
    expect(detail).toMatch(new RegExp(`^"scoree${at + 1}" is not a known [a-z ]+\\.$`))
})

test('an unknown field that is repeated is reported once', async () => {
  const { body } = await server.get('/api/v3/passports/7?select=scor,score,scor,scor')
  expect(body.errors).toEqual([
    { pointer: '?select', detail: '"scor" is not a known field: did you mean score?' },
  ])
})

test('a body above 1 MiB gets problem+json on v3, and an empty 413 elsewhere', async () => {
  const init = { method: 'POST', body: 'x'.repeat(1024 * 1024 + 1) }
  const response = await fetch(`${server.url}api/v3/nothing`, init)
  expect(response.status).toBe(413)
  expect(await response.json()).toMatchObject({ title: 'Content Too Large', code: 'content_too_large' })
  const other = await fetch(`${server.url}health`, init)
  expect(other.status).toBe(413)
  expect(await other.text()).toBe('')
})

const iso = new Date(NOON).toISOString()
const A_DAY = 'a day such as 2026-10-01 or a time with its offset such as 2026-10-01T12:00:00Z'
const NEXT = 'cursor must be the value of "next"'
const A_KEY = 'A key must be an id, a wallet address, or a source and a name such as github:zoe'

test.each([
  ['/passports?keyword=ada', '?keyword', '"keyword" is not a known parameter: use q, filter, '],
  ['/passports?filters=x', '?filters', '"filters" is not a known parameter: did you mean filter?'],
  ['/passports?constructor=1', '?constructor', '"constructor" is not a known parameter: use q, filter, sort'],
  ['/passports?limit=0', '?limit', 'limit must be a whole number from 1 to 250, got "0".'],
  ['/passports?limit=251', '?limit', 'limit must be a whole number from 1 to 250, got "251".'],
  ['/passports?limit=', '?limit', 'limit must be a whole number from 1 to 250, got "".'],
  ['/passports?limit=1.5', '?limit', 'limit must be a whole number from 1 to 250, got "1.5".'],
  ['/passports?limit=51&include=standing', '?limit', 'from 1 to 50 for pages with standing, got "51".'],
  ['/passports?limit=51&select=credentials.score', '?limit', 'for pages with credentials, got "51".'],
  [
    '/passports?sort=name',
    '?sort',
    'sort must be one of score, activity_score, identity_score, skills_score',
  ],
  ['/passports?sort=--score', '?sort', 'got "--score".'],
  ['/passports?sort=', '?sort', 'got "".'],
  ['/passports?group_by=score', '?group_by', 'group_by must be one of type, tag, location, source, human'],
  [
    '/passports?group_by=tag,tag',
    '?group_by',
    'or up to 5 different ones with commas between them, got "tag,tag"',
  ],
  ['/passports?group_by=', '?group_by', 'got "".'],
  ['/passports?group_by=type,tag,location,source,human,rules', '?group_by', 'or up to 5 different ones'],
  ['/passports?group_prefix=a', '?group_prefix', 'group_prefix needs group_by.'],
  [`/passports?group_by=tag&group_prefix=${'x'.repeat(201)}`, '?group_prefix', 'at most 200 characters'],
  ['/search', '?q', 'q is required: the text to search for.'],
  [`/search?q=${'x'.repeat(201)}`, '?q', 'q must be at most 200 characters, got 201.'],
  ['/search?q=a&since=2026-01-01', '?since', '"since" is not a known parameter: use q, filter, sort'],
  ['/search?q=a&sort=-change', '?sort', 'got "-change".'],
  ['/search?q=a&filter=x', '?filter', 'filter at character'],
  ['/search?q=a&limit=51&include=standing', '?limit', 'from 1 to 50 for pages with standing, got "51".'],
  ['/search?q=a&group_by=x', '?group_by', 'group_by must be one of'],
  ['/search?q=a&group_prefix=x', '?group_prefix', 'group_prefix needs group_by.'],
  ['/search?q=a&cursor=abc', '?cursor', NEXT],
  ['/scores?q=a', '?q', '"q" is not a known parameter'],
  ['/passports?filter=human:maybe', '?filter', 'filter at character 7: expected human:true or human:false'],
  ['/passports?filter=tpye:ens', '?filter', 'did you mean type?'],
  ['/passports?filter=', '?filter', 'filter'],
  ['/passports?filter=%20', '?filter', 'filter'],
  [`/passports?q=${'x'.repeat(201)}`, '?q', 'q must be at most 200 characters, got 201.'],
  ['/passports?cursor=', '?cursor', `${NEXT} in the previous page, got "".`],
  ['/passports?cursor=abc', '?cursor', NEXT],
  [`/passports?cursor=${btoa('1 2 3')}`, '?cursor', NEXT],
  [`/passports?cursor=${btoa('1 99999999999999999 00000000')}=`, '?cursor', NEXT],
  ['/passports?cursor=../../etc', '?cursor', NEXT],
  ['/passports?include=all', '?include', 'include'],
  ['/passports?select=', '?select', '"" is not a known field: use passport_id'],
  ['/passports?q=%zz', '?q', ''],
  ['/passports?%q=1', '?%q', ''],
  ['/passports?q=%C3', '?q', ''],
  ['/passports/%zz', '{key}', ''],
  ['/passports/7?inclde=standing', '?inclde', '"inclde" is not a known parameter: did you mean include?'],
  ['/passports/7?page=2', '?page', '"page" is not a known parameter: use include, select, after, as_of.'],
  ['/passports/7?select=score&select=rules', '?select', 'select may be given once, got 2 values.'],
  ['/passports/7?include=credential', '?include', 'did you mean credentials?'],
  [`/passports/7?select=${'score,'.repeat(100)}x`, '?select', 'select may have at most 100 names, got more.'],
  [`/passports?${'&'.repeat(100)}`, '?', 'The query may have at most 100 parameters, got more.'],
  [
    '/passports/7?include=',
    '?include',
    '"" is not a known value of include: use credentials, standing, explan',
  ],
  [
    '/passports/7?select=score,pasport_id',
    '?select',
    '"pasport_id" is not a known field: did you mean passpo',
  ],
  ['/passports/7?select=score.x', '?select', '"score.x" is not a known field: did you mean score?'],
  ['/passports/7%2/diff?from=2026-01-01', '{key}', ''],
  ['/passports/7/diff', '?from', 'from is required: a day or a time.'],
  ['/passports/7/diff?from=x', '?from', `from must be ${A_DAY}, got "x".`],
  [
    '/passports/7/diff?from=2026-01-03',
    '?from',
    `from must not be in the future, got "2026-01-03"; it is ${iso} now.`,
  ],
  [`/passports/7/diff?from=${iso}&to=2026-01-03`, '?to', 'to must not be in the future, got "2026-01-03"'],
  [`/passports/7/diff?from=${iso}&to=2026-01-02`, '?to', 'to must not be before from.'],
  ['/passports/7/diff?form=2026-01-02', '?form', '"form" is not a known parameter: did you mean from?'],
  ['/rules/%FF', '{stamp}', ''],
  ['/events?after=17', '?after', 'after must be "next" of a page, the id of an event, or latest, got "17".'],
  ['/events?after=', '?after', 'after must be "next" of a page, the id of an event, or latest, got "".'],
  ['/events?limit=0', '?limit', 'limit must be a whole number from 1 to 1000, got "0".'],
  ['/events?limit=1001', '?limit', 'limit must be a whole number from 1 to 1000, got "1001".'],
  ['/events?limit=1e2', '?limit', 'limit must be a whole number from 1 to 1000, got "1e2".'],
  [
    '/events?types=score.change',
    '?types',
    '"score.change" is not a known event type: did you mean score.changed?',
  ],
  ['/events?types=', '?types', 'event type'],
  ['/events?passport=lens:', '?passport', `${A_KEY}, got "lens:".`],
  [
    '/events?cursor=x',
    '?cursor',
    '"cursor" is not a known parameter: use after, limit, types, passport, include.',
  ],
])('%s gets a problem that names %s', async (target, pointer, detail) => {
  await expectInvalid(target, {}, pointer, detail)
})

test.each([
  ['a long unknown member', { keys: [], ['x'.repeat(100)]: 1 }, '#'],
  ['an unknown member with other letters', { keys: [], 'ké y~/': 1 }, '#/k%C3%A9%20y~0~1'],
  ['an unknown member that is not Unicode', '{"keys":[],"\\ud800":1}', '#'],
  ['too many fields', { keys: [], select: Array(101).fill('score') }, '#/select'],
])('a lookup with %s gets a problem that names the invalid value', async (_, body, pointer) => {
  await expectInvalid('/lookup', json(body), pointer)
})

test('a request for a stream gets 400 if it has a `limit` parameter', async () => {
  await expectInvalid('/events?limit=5', { headers: { Accept: 'text/event-stream' } }, '?limit')
})

async function expectInvalid(target: string, init: RequestInit, pointer: string, detail = '') {
  const headers = { ...init.headers, 'X-API-KEY': server.key }
  const { status, body, headers: sent } = await server.get(`/api/v3${target}`, { ...init, headers })
  expect([status, body.code, body.errors[0]?.pointer]).toEqual([400, 'invalid_request', pointer])
  expect(body.errors[0].detail).toContain(detail)
  expect(sent.get('Content-Type')).toBe('application/problem+json')
  expect(body.detail).toMatch(/^.{10,300}[.?]$/)
}

test('a problem response lists the invalid values of all parameters', async () => {
  expect((await server.get('/api/v3/passports/7?select=a,b&include=c&')).body.errors).toHaveLength(3)
})
