import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { openRequest } from '../../support/http/raw-request.ts'
import { shareServer } from '../../support/http/server.ts'
import { LOOKUP, limited, post, rawLookup, serveLookup } from '../../support/http/servers.ts'
import { onEveryEngine, openTestStore } from '../../support/store/engines.ts'
import { execute } from '../../support/store/execute-sql.ts'
import { ADA_WALLET, ada, PEOPLE, record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

onEveryEngine('lookup', (open) => {
  test('a lookup has one item per key, in the order of the keys, even for repeated keys', async () => {
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

const server = shareServer(() => openTestStore('sqlite', PEOPLE), serveLookup)

test('an item of a lookup equals the response of a single request with the same include', async () => {
  const include = ['credentials', 'standing', 'explanation']
  const single = await server.get(`/api/v3/passports/7?include=${include}`)
  expect((await server.lookUp(['7'], { include })).text).toBe(
    `{"items":[{"key":"7","passport":${single.text}}],"found":1}`,
  )
  expect((await server.lookUp([])).text).toBe('{"items":[],"found":0}')
})

test('QUERY and POST get the same response, which has no ETag and ignores conditional headers', async () => {
  const body = JSON.stringify({ keys: ['7', 'x'] })
  const { text } = await server.send(body)
  for (const condition of [{ 'If-None-Match': '*' }, { 'If-None-Match': '' }, { 'If-Match': '"x"' }]) {
    const { status, headers, ...queried } = await server.send(body, condition, 'QUERY')
    expect([status, headers.has('ETag'), queried.text]).toEqual([200, false, text])
  }
})

test('a lookup with Accept application/x-ndjson streams one item per line', async () => {
  const keys = ['7', 'x', '7', 'lens:']
  const { body: whole } = await server.lookUp(keys)
  const response = await server.fetch(JSON.stringify({ keys }), { Accept: 'application/x-ndjson' })
  expect(response.headers.get('Content-Type')).toBe('application/x-ndjson')
  const lines = (await response.text()).trimEnd().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toEqual(whole.items)
})

test('a lookup accepts 1,000 keys, and a large response is complete', async () => {
  const large = Array(10).fill({ ...ada.socials[0], bio: 'é'.repeat(9000) })
  const people = Array.from({ length: 1000 }, (_, id) => record(id, { socials: id % 10 ? [] : large }))
  await using store = await openTestStore('sqlite', people)
  await using server = await serveLookup(store)
  const { body, headers } = await server.lookUp(people.map(({ id }) => String(id)))
  expect(headers.has('Content-Length')).toBe(false)
  expect(body.found).toBe(1000)
  expect(
    body.items.map(({ passport }: { passport: { passport_id: number } }) => passport.passport_id),
  ).toEqual(people.map(({ id }) => id))
  expect(server.errors).toEqual([])
})

test.each(['*/*', 'application/x-ndjson'])(
  'a lookup whose read fails gets 500 as problem+json instead of a partial response: Accept %s',
  async (accept) => {
    await using store = await openTestStore('sqlite', PEOPLE)
    await using server = await serveLookup(store)
    await execute(store.url, 'alter table passports rename column socials to gone')
    const { body } = await server.send('{"keys":["7"]}', { Accept: accept })
    expect(body).toMatchObject({
      status: 500,
      code: 'internal',
      detail: 'Something went wrong on our side.',
    })
    expect(server.errors).toHaveLength(1)
  },
)

test('a client that disconnects while it sends its body is logged as 499, not as an error', async () => {
  await using store = await openTestStore('sqlite', PEOPLE)
  const ended = Promise.withResolvers<number>()
  await using server = await serveLookup(store, { onResponse: ({ status }) => ended.resolve(status) })
  const socket = connect(server.port, '127.0.0.1')
  socket.write(rawLookup(server.key, '{"keys', { length: 100 }), () => socket.destroy())
  expect(await ended.promise).toBe(499)
  expect(server.errors).toEqual([])
})

test('a lookup counts as one request per 25 keys, rounded up, toward the limit and the monthly quota', async () => {
  await using server = await limited('standard=12/10s + 1000/month')
  const key = await server.makeKey(1, 'standard')
  const left = async (count: number) => {
    const body = JSON.stringify({ keys: Array(count).fill('7'), select: ['score'] })
    const reply = await server.get(LOOKUP, post(key, body))
    return [reply.status, reply.headers.get('RateLimit'), reply.body.detail]
  }
  expect(await left(0)).toEqual([200, '"standard";r=11;t=10', undefined])
  expect(await left(26)).toEqual([200, '"standard";r=9;t=10', undefined])
  expect(await left(250)).toEqual([
    429,
    '"standard";r=9;t=10',
    'The limit is 12 requests in 10 s, and this request counts as 10: try again in 10 s.',
  ])
  expect(await left(225)).toEqual([200, '"standard";r=0;t=10', undefined])
  expect(server.usage.take().counts).toMatchObject([
    { endpoint: 'v3_lookup', status: 200, count: 12 },
    { endpoint: 'v3_lookup', status: 429, count: 1 },
  ])
})

const people = (count: number, socials = ada.socials) =>
  Array.from({ length: count }, (_, id) => record(id, { socials }))
const keysOf = (count: number) => Array.from({ length: count }, (_, id) => String(id))

/** Passports of 90 KB. */
const large = (count: number) => people(count, Array(10).fill({ ...ada.socials[0], bio: 'é'.repeat(9000) }))

test('an error during a stream is logged with its stack, and the connection is closed', async () => {
  await using store = await openTestStore('sqlite', large(150))
  await using server = await serveLookup(store)
  const body = JSON.stringify({ keys: keysOf(150) })
  const response = await server.fetch(body, { Accept: 'application/x-ndjson' })
  expect(response.status).toBe(200)
  await execute(store.url, 'alter table passports rename column socials to gone')
  const received = await response.text().catch(() => '')
  expect(received.split('\n').length).toBeLessThan(150)
  await until(() => server.errors.length > 0)
  expect(server.errors).toHaveLength(1)
  expect((server.errors[0] as Error).stack).toContain('read-passports.ts')
})

const largeServer = shareServer(() => openTestStore('sqlite', large(20)), serveLookup)

test('a streamed lookup is compressed if the client accepts gzip', async () => {
  const ask = (encoding: string) =>
    largeServer.fetch(JSON.stringify({ keys: keysOf(20) }), { 'Accept-Encoding': encoding })
  const plain = await ask('identity')
  expect([plain.headers.get('Content-Encoding'), plain.headers.has('Content-Length')]).toEqual([null, false])
  const text = await plain.text()
  expect(JSON.parse(text).found).toBe(20)
  const response = await ask('gzip')
  const { headers } = response
  expect([headers.get('Content-Encoding'), headers.get('Vary')]).toEqual(['gzip', 'Accept-Encoding'])
  const bytes = await response.bytes()
  expect(Buffer.from(Bun.gunzipSync(bytes)).toString()).toBe(text)
  expect(bytes.length).toBeLessThan(text.length / 2)
})

test('repeated keys have equal items, even if the passports are read in several calls', async () => {
  const { body } = await largeServer.lookUp([...keysOf(20), ...keysOf(20), 'x', 'x'])
  expect(body.items.slice(20, 40)).toEqual(body.items.slice(0, 20))
  expect(body.items.slice(40)).toEqual(Array(2).fill({ key: 'x', error: 'not_found' }))
})

test('while received, a large request body takes bytes, and another one gets 503 if it waits for them in vain', async () => {
  await using store = await openTestStore('sqlite', people(1))
  await using server = await serveLookup(store, { limits: { bytes: 1, waitMilliseconds: 100 } })
  const socket = openRequest(server.port, rawLookup(server.key, ' '.repeat(100_000), { length: 200_000 }))
  await until(() => server.heldBytes() > 0)
  const padded = `{"keys":[]}${' '.repeat(100_000)}`
  expect((await server.send(padded)).body.code).toBe('overloaded')
  expect((await server.get('/health')).status).toBe(200)
  socket.write(`{"keys":["0"]}${' '.repeat(99_986)}`)
  await until(() => server.heldBytes() === 0)
  expect((await server.send(padded)).status).toBe(200)
  socket.destroy()
})
