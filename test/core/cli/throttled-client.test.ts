import { expect, test } from 'bun:test'
import { createClient, fail, GOOD, good, status } from '../../support/mirror/throttled-client.ts'
import { NOON } from '../../support/store/records.ts'

test('requests keep the configured interval, even after idle time', async () => {
  const { begun, getMany, time } = createClient([good], { rate: 8 })
  await getMany(40)
  expect(begun).toEqual(Array.from({ length: 40 }, (_, at) => at * 125))
  await time.pass(time.sleep(5000))
  const now = time.now() - NOON
  await getMany(3)
  expect(begun.slice(40)).toEqual([now, now + 125, now + 250])
})

test('requests are not delayed if the wall clock is set back', async () => {
  let wall = NOON
  const { begun, get } = createClient([good], { rate: 10, now: () => wall })
  await get()
  wall -= 3600_000
  await get()
  expect(begun).toEqual([0, 100])
})

test.each([
  ['429 with seconds', 429, { 'Retry-After': '5' }],
  ['429 with a date', 429, { 'Retry-After': new Date(NOON + 5000).toUTCString() }],
  ['503 with seconds', 503, { 'Retry-After': '5' }],
  ['429 with 0 remaining requests', 429, { RateLimit: '"default";r=0;t=5' }],
  ['200 with 0 remaining requests', 200, { RateLimit: '"default";r=0;t=5' }],
  ['a RateLimit header with t before r', 200, { RateLimit: '"default";t=5;r=0' }],
  ['one of two policies with 0 remaining requests', 200, { RateLimit: '"day";r=9;t=80, "burst";r=0;t=5' }],
  ['two policies with 0 remaining requests', 200, { RateLimit: '"burst";r=0;t=1, "day";r=0;t=5' }],
] as const)('%s pauses all requests, which then keep the configured interval', async (_, code, headers) => {
  const { begun, getMany } = createClient([status(code, headers), good], { rate: 100 })
  expect(await getMany(6)).toEqual(Array(6).fill(GOOD))
  const after = code === 200 ? 5 : 6
  expect(begun).toEqual([0, ...Array.from({ length: after }, (_, at) => 5000 + at * 10)])
})

test.each([
  ['requests remain', { RateLimit: '"default";r=3;t=60' }],
  ['the policy with 0 remaining requests has no reset time', { RateLimit: '"day";r=0, "burst";r=5;t=60' }],
  ['Retry-After is a date in the past', { 'Retry-After': new Date(NOON - 5000).toUTCString() }],
  ['Retry-After is not a time', { 'Retry-After': 'soon' }],
] as const)('no request waits if %s', async (_, headers) => {
  const { begun, getMany } = createClient([status(200, headers)], { rate: 100 })
  await getMany(3)
  expect(begun).toEqual([0, 10, 20])
})

test('429 without a retry time pauses all requests, and each further 429 makes the pause longer', async () => {
  const { begun, getMany } = createClient([status(429), status(429), good], { rate: 100 })
  await getMany(3)
  expect(begun).toEqual([0, 500, 1500, 1510, 1520])
})

test('a pause lasts at most an hour, and a request that is rate-limited a hundred times fails', async () => {
  const wait = status(429, { 'Retry-After': '86400' })
  const patient = createClient([...Array(20).fill(wait), good])
  expect(await patient.get()).toEqual(GOOD)
  expect(patient.begun.slice(0, 3)).toEqual([0, 3600_000, 7200_000])
  const { begun, get } = createClient([wait])
  await expect(get('/busy')).rejects.toMatchObject({
    name: 'ResponseError',
    message: '/busy: no valid response after 100 attempts, the last: status 429',
  })
  expect(begun).toHaveLength(100)
})

const html = () => new Response('<h1>Back soon</h1>')
const cutJson = () => new Response('{"fine":tr')
const badText = () => new Response(Buffer.from('{"fine":"\xff"}', 'latin1'))
const timeout = () => Promise.reject(new DOMException('The operation timed out.', 'TimeoutError'))

test.each([
  ['status 500', status(500), 'status 500'],
  ['status 503', status(503), 'status 503'],
  ['a reset connection', fail('connection reset'), 'connection reset'],
  ['a timeout', timeout, 'The operation timed out.'],
  ['a body that is not JSON', html, expect.stringContaining('JSON Parse error')],
  ['incomplete JSON', cutJson, expect.stringContaining('JSON Parse error')],
  ['text that is not UTF-8', badText, expect.anything()],
] as const)('%s is retried, and fails after eight attempts', async (_, bad, reason) => {
  const { get } = createClient([good, bad, bad, good, bad])
  await get()
  expect(await get()).toEqual(GOOD)
  const { name, message } = await get('/y').catch((error) => error)
  const complaint = '/y: no valid response after 8 attempts, the last'
  expect([name, ...message.split(/(?<=last): /)]).toEqual(['ResponseError', complaint, reason])
})

test.each([
  [0, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
  [1, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
])('delays double up to a limit, and jitter at most halves them (random %d)', async (random, waits) => {
  const { begun, get } = createClient([status(500)], { random: () => random })
  await get().catch(() => undefined)
  expect(begun.slice(1).map((at, index) => at - (begun[index] as number))).toEqual(waits)
})

test('the whole run fails after three attempts if the source has never responded', async () => {
  const { get } = createClient([fail('unable to connect')])
  await expect(get()).rejects.toMatchObject({
    name: 'SourceError',
    message:
      'http://source.test: no valid response after 3 attempts, the last: unable to connect. Check the URL.',
  })
})

test('the whole run fails if a request fails and the source has not responded for ten minutes', async () => {
  const { get, time } = createClient([good, fail('unable to connect')])
  await get()
  await expect(get()).rejects.toMatchObject({ name: 'ResponseError' })
  await time.pass(time.sleep(600_000))
  const message = expect.stringContaining('http://source.test stopped responding: ')
  await expect(get()).rejects.toMatchObject({ name: 'SourceError', message })
})

test.each([
  [404, { status: 404 }],
  [410, { status: 404 }],
  [304, { status: 304 }],
])('status %d is a valid response, which is not retried', async (code, reply) => {
  const { begun, get } = createClient([status(code)])
  expect(await get('/x', '"tag"')).toEqual(reply as never)
  expect(begun).toHaveLength(1)
})

test.each([
  [400, {}, 'ResponseError', '/x: received status 400'],
  [401, {}, 'SourceError', 'http://source.test rejected the request (401). Pass a valid API key.'],
  [403, {}, 'SourceError', 'http://source.test rejected the request (403). Pass a valid API key.'],
  // A brownout.
  [
    410,
    { 'Retry-After': '60' },
    'SourceError',
    'http://source.test is switched off for a while (410). Run the command again later.',
  ],
] as const)('status %d with %j is not retried', async (code, headers, name, message) => {
  const { begun, get } = createClient([status(code, headers)])
  await expect(get()).rejects.toMatchObject({ name, message })
  expect(begun).toHaveLength(1)
})
