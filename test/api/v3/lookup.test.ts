import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import type { Store } from '../../../src/store/store.ts'
import { makeKey } from '../../support/http/keys.ts'
import { limited } from '../../support/http/limited-server.ts'
import { sendBytes } from '../../support/http/raw-request.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEngine, onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, PEOPLE, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const PATH = '/api/v3/lookup'
const JSON_BODY = { 'Content-Type': 'application/json' }

/** A server and a key for it. */
async function serveLookup(store: Store) {
  const { key } = await makeKey(store, 1)
  const server = serveTest(store)
  const send = (body: string, headers: Record<string, string> = JSON_BODY, method = 'POST') =>
    server.get(PATH, { method, body, headers: { 'X-API-KEY': key, ...headers } })
  return {
    ...server,
    key,
    send,
    lookUp: (keys: unknown, more: object = {}) => send(JSON.stringify({ keys, ...more })),
  }
}

onEveryEngine('lookup', (open) => {
  test('has one item per key, in order, repeats included', async () => {
    await using store = await open([...PEOPLE, record(30, { socials: ada.socials })])
    await using server = await serveLookup(store)
    const keys = [
      '12',
      '900',
      'nobody',
      '7',
      '12',
      'lens:ada',
      ADA_WALLET,
      '',
      'lens:',
      '9'.repeat(20),
      'lens:x',
    ]
    const { status, body, headers } = await server.lookUp(keys, { select: ['passport_id'] })
    expect(status).toBe(200)
    expect(headers.has('ETag')).toBe(false)
    expect(body).toEqual({
      items: [
        { key: '12', passport: { passport_id: 12 } },
        { key: '900', passport: { passport_id: 3 } },
        { key: 'nobody', error: 'not_found' },
        { key: '7', passport: { passport_id: 7 } },
        { key: '12', passport: { passport_id: 12 } },
        { key: 'lens:ada', error: 'ambiguous', candidates: [7, 30] },
        { key: ADA_WALLET, passport: { passport_id: 7 } },
        { key: '', error: 'malformed' },
        { key: 'lens:', error: 'malformed' },
        { key: '9'.repeat(20), error: 'malformed' },
        { key: 'lens:x', error: 'not_found' },
      ],
      found: 5,
    })
  })
})

onEngine('sqlite', 'lookup', (open) => {
  test('an item has the passport of the single request, with the same include', async () => {
    const include = ['credentials', 'standing', 'explanation']
    const single = await server.get(`/api/v3/passports/7?include=${include}`)
    expect((await server.lookUp(['7'], { include })).text).toBe(
      `{"items":[{"key":"7","passport":${single.text}}],"found":1}`,
    )
    expect((await server.lookUp([])).text).toBe('{"items":[],"found":0}')
  })

  test('QUERY is the same as POST', async () => {
    const body = JSON.stringify({ keys: ['7', 'x'] })
    const [posted, queried] = [await server.send(body), await server.send(body, JSON_BODY, 'QUERY')]
    expect([queried.status, queried.text]).toEqual([200, posted.text])
  })

  test('streams one item per line on request', async () => {
    const keys = ['7', 'x', '7', 'lens:']
    const { body: whole } = await server.lookUp(keys)
    const response = await fetch(server.url.origin + PATH, {
      method: 'POST',
      headers: { ...JSON_BODY, 'X-API-KEY': server.key, Accept: 'application/x-ndjson' },
      body: JSON.stringify({ keys }),
    })
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson')
    const lines = (await response.text()).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(whole.items)
  })

  test('1,000 keys are accepted, and large responses are complete', async () => {
    const bio = 'é'.repeat(9000)
    const large = Array.from(
      { length: 10 },
      () => ({ ...ada.socials[0], bio }) as (typeof ada.socials)[number],
    )
    const people = Array.from({ length: 1000 }, (_, id) => record(id, { socials: id % 10 ? [] : large }))
    await using store = await open(people)
    await using server = await serveLookup(store)
    const { body, headers } = await server.lookUp(people.map(({ id }) => String(id)))
    expect(headers.has('Content-Length')).toBe(false)
    expect(body.found).toBe(1000)
    expect(
      body.items.map(({ passport }: { passport: { passport_id: number } }) => passport.passport_id),
    ).toEqual(people.map(({ id }) => id))
    expect(server.errors).toEqual([])
  })
})

test.each(['*/*', 'application/x-ndjson'])(
  'a failing read gets 500 as problem+json, and no part of a response: Accept %s',
  async (accept) => {
    using folder = tempFolder()
    const path = join(folder.path, 'x.db')
    const store = openSqlite(path)
    await saveRecords(store, PEOPLE)
    const { key } = await makeKey(store, 1)
    await using server = serveTest(store)
    const vandal = new Database(path)
    vandal.run('alter table passports rename column socials to gone')
    vandal.close()
    const failed = await server.get(PATH, {
      method: 'POST',
      headers: { ...JSON_BODY, 'X-API-KEY': key, Accept: accept },
      body: '{"keys":["7"]}',
    })
    expect([failed.status, failed.body.code, failed.body.detail]).toEqual([
      500,
      'internal',
      'Something went wrong on our side.',
    ])
    expect(server.errors).toHaveLength(1)
    await store.close()
  },
)

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveLookup)

const refused = (body: string) => `The body is not valid JSON at character ${body}.`
const notList = (got: string) => `keys must be a list of ${texts(got)}`
const texts = (got: string) => `texts such as "42", "0x…" or "github:zoe", got ${got}.`

test.each([
  ['no object', '[]', '#', 'The body must be an object, got [].'],
  ['no keys', '{}', '#/keys', notList('nothing')],
  ['keys that are no list', '{"keys":"7"}', '#/keys', notList('"7"')],
  ['a key that is no text', '{"keys":["7",8]}', '#/keys/1', `keys must have ${texts('8')}`],
  [
    'an unknown member',
    '{"keys":[],"key~/":1}',
    '#/key~0~1',
    '"key~/" is not a known member: did you mean keys?',
  ],
  [
    'an unknown include',
    '{"keys":[],"include":["x"]}',
    '#/include/0',
    '"x" is not a known value of include: use credentials, standing, explanation.',
  ],
  [
    'an unknown field',
    '{"keys":[],"select":["rules","scores"]}',
    '#/select/1',
    '"scores" is not a known field: did you mean score?',
  ],
  ['an empty select', '{"keys":[],"select":[]}', '#/select/0', 'The list select is empty.'],
  ['no JSON', 'keys=7', '#', refused('1: unexpected "keys=7"')],
  ['JSON that ends early', '{"keys":["7"', '#', refused('13: unexpected the end')],
  ['a comma too many', '{"keys":["7",]}', '#', refused('14: unexpected "]}"')],
  ['text after the end', '{"keys":[]} x', '#', refused('13: unexpected "x"')],
  ['a name without quotes', '{keys:[]}', '#', refused('2: unexpected "keys:[]}"')],
  ['an empty body', '', '#', refused('1: unexpected the end')],
  ['many lists', '['.repeat(500_000), '#', 'The body has more than 10000 lists and objects.'],
  ['a long text that is no JSON', `{"keys":["${'x'.repeat(65_536)}`, '#', 'The body is not valid JSON.'],
  ['a large value', `{"keys":{"a":[${'1,'.repeat(100_000)}1]}}`, '#/keys', notList('{…}')],
])('a lookup with %s gets 400', async (_, body, pointer, detail) => {
  const reply = await server.send(body)
  expect([reply.status, reply.body.code, reply.body.errors]).toEqual([
    400,
    'invalid_request',
    [{ pointer, detail }],
  ])
})

test('more than 1,000 keys, a large body and another type have their own errors', async () => {
  const many = await server.lookUp(Array(1001).fill('7'))
  expect(many.body).toMatchObject({
    status: 400,
    errors: [{ pointer: '#/keys', detail: 'keys may have at most 1000 entries, got 1001.' }],
  })
  const large = await server.send(JSON.stringify({ keys: ['x'.repeat(1024 * 1024)] }))
  expect([large.status, large.body.code]).toEqual([413, 'content_too_large'])
  const text = await server.send('{"keys":[]}', { 'Content-Type': 'text/plain' })
  expect([text.status, text.body.code]).toEqual([415, 'unsupported_media_type'])
  const zipped = await server.send('{"keys":[]}', { ...JSON_BODY, 'Content-Encoding': 'gzip' })
  expect([zipped.status, zipped.body.code]).toEqual([415, 'unsupported_media_type'])
  const typed = { 'Content-Type': 'Application/JSON; charset=utf-8' }
  expect((await server.send('{"keys":[]}', typed)).status).toBe(200)
})

test('a chunked body above 1 MiB gets 413, and a body that is not UTF-8 gets 400', async () => {
  const head = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${server.key}\r\nContent-Type: application/json\r\nConnection: close\r\n`
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
  const reply = await sendBytes(
    server.port,
    `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(17)}0\r\n\r\n`,
  )
  expect(reply).toStartWith('HTTP/1.1 413 ')
  expect(reply).toContain('"code":"content_too_large"')
  const odd = await fetch(server.url.origin + PATH, {
    method: 'POST',
    headers: { ...JSON_BODY, 'X-API-KEY': server.key },
    body: new Uint8Array([0x7b, 0xff, 0x7d]),
  })
  expect(await odd.json()).toMatchObject({ status: 400, detail: 'The body is not valid UTF-8.' })
})

test('a client that disconnects while it sends its body is no error', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const ended = Promise.withResolvers<number>()
  const { key } = await makeKey(store, 1)
  await using server = serveTest(store, { onResponse: ({ status }) => ended.resolve(status) })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"keys`,
    () => socket.destroy(),
  )
  expect(await ended.promise).toBe(499)
  expect(server.errors).toEqual([])
})

test('a lookup ignores conditions: its responses have no ETag', async () => {
  for (const condition of [{ 'If-None-Match': '*' }, { 'If-None-Match': '' }, { 'If-Match': '"x"' }])
    expect((await server.send('{"keys":["7"]}', { ...JSON_BODY, ...condition })).body.found).toBe(1)
})

test('a key is required also where V1 is open, and GET is not possible', async () => {
  const open = await server.get(PATH, { method: 'POST', headers: JSON_BODY, body: '{"keys":[]}' })
  expect([open.status, open.body.code]).toEqual([401, 'unauthorized'])
  const got = await server.get(PATH, { headers: { 'X-API-KEY': server.key } })
  expect([got.status, got.headers.get('Allow')]).toEqual([405, 'POST, QUERY, OPTIONS'])
  const preflight = await server.get(PATH, { method: 'OPTIONS' })
  expect(preflight.headers.get('Access-Control-Allow-Methods')).toBe('POST, QUERY, OPTIONS')
  const named = await server.get(`${PATH}?keys=7`, {
    method: 'POST',
    headers: { ...JSON_BODY, 'X-API-KEY': server.key },
    body: '{"keys":[]}',
  })
  expect(named.body.detail).toBe('"keys" is not a known parameter: there is none here.')
})

test('each 100 keys, or part of them, cost one request of the limit and of the monthly quota', async () => {
  await using server = await limited('standard=12/10s + 1000/month')
  const key = await server.makeKey(1, 'standard')
  const lookUp = (count: number) =>
    server.get(PATH, {
      method: 'POST',
      headers: { ...JSON_BODY, 'X-API-KEY': key },
      body: JSON.stringify({ keys: Array(count).fill('7'), select: ['score'] }),
    })
  const left = async (count: number) => {
    const { status, headers } = await lookUp(count)
    return [status, headers.get('RateLimit')]
  }
  expect(await left(0)).toEqual([200, '"standard";r=11;t=10'])
  expect(await left(100)).toEqual([200, '"standard";r=10;t=10'])
  expect(await left(101)).toEqual([200, '"standard";r=8;t=10'])
  expect(await left(1000)).toEqual([429, '"standard";r=7;t=10'])
  expect((await lookUp(1000)).body.detail).toBe(
    'The limit is 12 requests in 10 s, and this request counts as 10: try again in 10 s.',
  )
  expect(await left(600)).toEqual([200, '"standard";r=0;t=10'])
  expect(server.usage.take().counts).toMatchObject([
    { endpoint: 'v3_lookup', status: 200, count: 10 },
    { endpoint: 'v3_lookup', status: 429, count: 2 },
  ])
})
