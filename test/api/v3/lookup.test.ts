import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openSqlite } from '../../../src/store/sqlite/open.ts'
import { makeKey } from '../../support/http/keys.ts'
import { limited } from '../../support/http/limited-server.ts'
import { JSON_BODY, PATH, serveLookup } from '../../support/http/lookup-server.ts'
import { serveTest, shareServer } from '../../support/http/server.ts'
import { onEngine, onEveryEngine, openTestStore, saveRecords } from '../../support/store/engines.ts'
import { ADA_WALLET, ada, PEOPLE, record } from '../../support/store/records.ts'
import { tempFolder } from '../../support/temp-folder.ts'

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

  test('QUERY and POST get the same response', async () => {
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

test('each 25 keys, or part of them, cost one request of the limit and of the monthly quota', async () => {
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
  expect(await left(25)).toEqual([200, '"standard";r=10;t=10'])
  expect(await left(26)).toEqual([200, '"standard";r=8;t=10'])
  expect(await left(250)).toEqual([429, '"standard";r=8;t=10'])
  expect((await lookUp(250)).body.detail).toBe(
    'The limit is 12 requests in 10 s, and this request counts as 10: try again in 10 s.',
  )
  expect(await left(200)).toEqual([200, '"standard";r=0;t=10'])
  expect(server.usage.take().counts).toMatchObject([
    { endpoint: 'v3_lookup', status: 200, count: 12 },
    { endpoint: 'v3_lookup', status: 429, count: 2 },
  ])
})
