import { expect, test } from 'bun:test'
import { formatKey, KEY_RANDOM_BYTES } from '../../../support/http/keys.ts'
import { fields, LIST, limited } from '../../../support/http/servers.ts'
import { NOON } from '../../../support/store/records.ts'

test('clients without a key may send 1,000 requests per address in 10 s', async () => {
  await using server = await limited('')
  expect(fields(await server.anonymous())).toEqual([
    200,
    '"anonymous";q=1000;w=10',
    '"anonymous";r=999;t=10',
    null,
  ])
  for (let turn = 2; turn <= 1000; turn++) expect((await server.anonymous()).status).toBe(200)
  expect((await server.anonymous()).status).toBe(429)
  expect((await server.anonymous(LIST, '192.0.2.2')).status).toBe(200)
})

test('a request over the limit gets 429 with the time to retry', async () => {
  await using server = await limited('anonymous=1/10s')
  await server.anonymous()
  server.clock.time += 6_500
  const reply = await server.anonymous()
  expect(fields(reply)).toEqual([429, '"anonymous";q=1;w=10', '"anonymous";r=0;t=4', '4'])
  expect(reply.body).toMatchObject({
    detail: 'The limit is 1 requests in 10 s: try again in 4 s.',
    code: 'rate_limited',
  })
  expect(reply.headers.get('Cache-Control')).toBe('no-store')
  server.clock.time = NOON + 9_999
  expect(fields(await server.anonymous())).toEqual([429, '"anonymous";q=1;w=10', '"anonymous";r=0;t=1', '1'])
  server.clock.time = NOON + 10_000
  expect((await server.anonymous()).status).toBe(200)
})

test('each key has the limit of its tier, and all addresses and paths share this limit', async () => {
  await using server = await limited('anonymous=1/10s, standard=2/10s, partner=3/1m')
  const [one, other, partner] = [
    await server.makeKey(1, 'standard'),
    await server.makeKey(2, 'standard'),
    await server.makeKey(3, 'partner'),
  ]
  expect(fields(await server.with(one))[2]).toBe('"standard";r=1;t=10')
  expect(fields(await server.with(partner)).slice(1, 3)).toEqual(['"partner";q=3;w=60', '"partner";r=2;t=60'])
  const elsewhere = { headers: { 'X-Forwarded-For': '192.0.2.9', 'X-API-KEY': one } }
  expect(fields(await server.get('/api/v3/passports/7', elsewhere))[2]).toBe('"standard";r=0;t=10')
  expect((await server.with(one, '/api/v3/events')).status).toBe(429)
  expect((await server.with(other)).status).toBe(200)
  expect((await server.with(partner)).status).toBe(200)
  expect((await server.anonymous()).status).toBe(200)
})

test('a key of an unlimited tier has no limit, and a key whose tier was removed has the limit of standard', async () => {
  await using server = await limited('standard=7/10s')
  const key = await server.makeKey(1, 'unlimited')
  for (let turn = 0; turn < 20; turn++)
    expect(fields(await server.with(key))).toEqual([200, null, null, null])
  const other = await server.makeKey(2, 'gone')
  expect(fields(await server.with(other)).slice(1, 3)).toEqual(['"standard";q=7;w=10', '"standard";r=6;t=10'])
})

test('every response after authentication, even an error, counts toward the limit and reports the remaining requests', async () => {
  await using server = await limited('anonymous=100/10s')
  const answers = [
    await server.anonymous(),
    await server.anonymous(`${LIST}?limit=0`),
    await server.anonymous(`${LIST}/8`),
    await server.get(LIST, { method: 'POST', headers: { 'X-Forwarded-For': '192.0.2.1' } }),
    await server.get(LIST, { method: 'HEAD', headers: { 'X-Forwarded-For': '192.0.2.1' } }),
  ]
  expect(answers.map(fields)).toEqual(
    [200, 400, 404, 405, 200].map((status, index) => [
      status,
      '"anonymous";q=100;w=10',
      `"anonymous";r=${99 - index};t=10`,
      null,
    ]),
  )
})

test('preflights, unknown paths, paths outside the API and requests without a required key do not count toward the limit', async () => {
  await using server = await limited('anonymous=1/10s', { requireKey: true })
  for (let turn = 0; turn < 3; turn++) {
    for (const [path, method, status] of [
      [LIST, 'OPTIONS', 204],
      [LIST, 'GET', 401],
      ['/api/v3/nothing', 'GET', 404],
      ['/health', 'GET', 200],
      ['/openapi.json', 'GET', 200],
    ] as const) {
      const reply = await server.get(path, { method, headers: { 'X-Forwarded-For': '192.0.2.1' } })
      expect(fields(reply)).toEqual([status, null, null, null])
    }
  }
})

test('a monthly quota is reset at the start of each month in UTC', async () => {
  await using server = await limited('partner=100/10s+3/month')
  const key = await server.makeKey(1, 'partner')
  server.clock.time = Date.UTC(2026, 0, 31, 23, 59, 0, 500)
  const policy = '"partner";q=100;w=10, "partner-month";q=3;w=2592000'
  const etag = (await server.with(key, `${LIST}/7`)).headers.get('ETag') ?? ''
  expect((await server.with(key, `${LIST}/7`, { 'If-None-Match': etag })).status).toBe(304)
  expect((await server.with(key)).status).toBe(200)
  expect(fields(await server.with(key)).slice(0, 3)).toEqual([200, policy, '"partner";r=97;t=10'])
  for (let turn = 0; turn < 3; turn++) {
    const reply = await server.with(key)
    expect(fields(reply)).toEqual([429, policy, '"partner-month";r=0;t=60', '60'])
    expect(reply.body.detail).toBe('The limit is 3 requests a month: try again in 60 s.')
  }
  server.clock.time = Date.UTC(2026, 1, 1)
  for (let turn = 0; turn < 3; turn++) expect((await server.with(key)).status).toBe(200)
  expect((await server.with(key)).status).toBe(429)
})

test('the monthly quota includes the counts of other nodes and excludes rejected requests', async () => {
  await using server = await limited('partner=1/10s+5/month')
  const key = await server.makeKey(1, 'partner')
  server.usage.setMonth(new Map([[key.slice(4, 14), 4]]), '2026-01-02')
  expect((await server.with(key)).status).toBe(200)
  expect(fields(await server.with(key))[2]).toBe('"partner-month";r=0;t=2548800')

  const other = await server.makeKey(2, 'partner')
  server.usage.setMonth(new Map([[other.slice(4, 14), 3]]), '2026-01-02')
  expect((await server.with(other)).status).toBe(200)
  for (let turn = 0; turn < 5; turn++) expect(fields(await server.with(other))[2]).toBe('"partner";r=0;t=10')
  server.clock.time += 10_000
  expect((await server.with(other)).status).toBe(200)
})

test('a used-up quota stays used up while the counts of this node are not stored yet', async () => {
  await using server = await limited('partner=100/10s+3/month')
  const key = await server.makeKey(1, 'partner')
  for (let turn = 0; turn < 3; turn++) expect((await server.with(key)).status).toBe(200)
  for (let turn = 0; turn < 3; turn++) {
    server.usage.setMonth(new Map(), '2026-01-02')
    expect((await server.with(key)).status).toBe(429)
  }
})

test('usage sums that arrive after the end of their month do not count toward the next month', async () => {
  await using server = await limited('partner=100/10s+5/month')
  const key = await server.makeKey(1, 'partner')
  server.clock.time = Date.UTC(2026, 1, 1)
  server.usage.setMonth(new Map([[key.slice(4, 14), 5]]), '2026-01-31')
  expect((await server.with(key)).status).toBe(200)
})

test('requests with wrong keys are rate-limited by address; valid keys and other addresses are not affected', async () => {
  await using server = await limited('anonymous=1/10s')
  const right = await server.makeKey(1, 'standard')
  const wrong = formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(9)).key
  for (let turn = 0; turn < 60; turn++) {
    const reply = await server.with(turn % 2 === 0 ? wrong : `guess ${turn}`)
    expect(fields(reply)).toEqual([401, null, null, null])
  }
  const policy = '"wrong-keys";q=60;w=60'
  const reply = await server.with(wrong)
  expect(fields(reply)).toEqual([429, policy, '"wrong-keys";r=0;t=60', '60'])
  expect(reply.text).not.toContain(wrong)
  expect((await server.with(right)).status).toBe(200)
  expect((await server.anonymous()).status).toBe(200)
  const elsewhere = { headers: { 'X-Forwarded-For': '192.0.2.2', 'X-API-KEY': wrong } }
  expect((await server.get(LIST, elsewhere)).status).toBe(401)
  server.clock.time += 60_000
  expect((await server.with(wrong)).status).toBe(401)
})

test('a client cannot change its address by a header', async () => {
  await using server = await limited('anonymous=1/10s', { trustedProxies: ['10.0.0.1'] })
  expect((await server.anonymous(LIST, '192.0.2.1')).status).toBe(200)
  expect((await server.anonymous(LIST, '192.0.2.2')).status).toBe(429)
})
