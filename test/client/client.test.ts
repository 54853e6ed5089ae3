import { expect, spyOn, test } from 'bun:test'
import { createClient, createMemoryCache } from '../../packages/client/src/index.ts'
import { failureOf } from '../support/http/server.ts'
import { until } from '../support/wait-until.ts'

type Reply = [status: number, body: unknown, headers?: Record<string, string>]
const PASSPORT: Reply = [200, { passport: { passport_id: 7 } }]
const UNAVAILABLE: Reply = [
  503,
  { error: 'Unavailable.', code: 'unavailable', request_id: 'r' },
  { 'Retry-After': '0' },
]

/** A server that sends these responses in order, then repeats the last one. */
function startReplies(...list: Reply[]) {
  const receivedKeys: (string | null)[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const [status, body, headers = {}] = list[Math.min(receivedKeys.length, list.length - 1)] as Reply
      receivedKeys.push(request.headers.get('X-API-KEY'))
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers })
    },
  })
  return { url: server.url, receivedKeys, [Symbol.asyncDispose]: () => server.stop(true) }
}

const limited = (after: string): Reply => [
  429,
  { error: 'x', code: 'rate_limited', request_id: 'r' },
  { 'Retry-After': after },
]

test('an unavailable or rate-limited request is retried with the same key', async () => {
  const past = new Date(Date.now() - 1000).toUTCString()
  for (const list of [
    [UNAVAILABLE, UNAVAILABLE, PASSPORT],
    [limited('0'), limited(past), PASSPORT],
  ]) {
    await using service = startReplies(...list)
    const client = createClient({ baseUrl: service.url, apiKey: 'k' })
    expect((await client.passports.get(7)).passport_id).toBe(7)
    expect(service.receivedKeys).toEqual(['k', 'k', 'k'])
  }
})

const refused = (status: number): Reply => [status, { error: 'No.', code: 'x' }, { 'Retry-After': '0' }]
const wrong = { code: 'invalid_answer' }
type Failure = [what: string, reply: Reply, error: object, requests: number]
test.each<Failure>([
  ['503', UNAVAILABLE, { code: 'unavailable', status: 503, requestId: 'r', retryAfter: 0 }, 3],
  ['a long wait', limited('3600'), { code: 'rate_limited', retryAfter: 3_600_000 }, 1],
  ['502 of a proxy', [502, '<h1>Bad gateway</h1>', { 'Retry-After': '0' }], { ...wrong, status: 502 }, 3],
  ...[400, 401, 403, 404, 410, 431].map((code): Failure => [`${code}`, refused(code), { status: code }, 1]),
  ...['<html>', '{"a":1}', '[]', 'null', ''].map((body): Failure => [`"${body}"`, [200, body], wrong, 1]),
])('%s throws an error; only temporary failures are retried', async (_, given, error, requests) => {
  await using service = startReplies(given)
  expect(await failureOf(createClient({ baseUrl: service.url }).passports.get(7))).toMatchObject(error)
  expect(service.receivedKeys).toHaveLength(requests)
})

test('a retry waits for at most longestWait even if Retry-After is 0, and a longer Retry-After throws the error at once', async () => {
  await using service = startReplies([503, ''], [503, '', { 'Retry-After': '0' }])
  using timers = spyOn(globalThis, 'setTimeout')
  const client = createClient({ baseUrl: service.url, longestWait: 3 })
  expect(await failureOf(client.passports.get(7))).toMatchObject({ status: 503 })
  expect(service.receivedKeys).toHaveLength(3)
  expect(timers.mock.calls.filter(([, delay]) => delay === 3)).toHaveLength(2)
  await using limiting = startReplies(limited('1'))
  const impatient = createClient({ baseUrl: limiting.url, longestWait: 999 })
  expect(await failureOf(impatient.passports.get(7))).toMatchObject({ retryAfter: 1000 })
  expect(limiting.receivedKeys).toHaveLength(1)
})

test('a redirect is not followed, so that no other host sees the key', async () => {
  await using other = startReplies(PASSPORT)
  await using service = startReplies([302, '', { Location: `${other.url}api/v1/passports/7` }])
  const client = createClient({ baseUrl: service.url, apiKey: 'k', retries: 0 })
  expect(await failureOf(client.passports.get(7))).toMatchObject({ code: 'network' })
  expect(other.receivedKeys).toEqual([])
})

test('a call can be aborted before sending, while reading the cache, and between retries', async () => {
  await using service = startReplies([503, '', { 'Retry-After': '20' }])
  const reason = new Error('No longer.')
  const client = createClient({ baseUrl: service.url })
  expect(await failureOf(client.passports.get(7, { signal: AbortSignal.abort(reason) }))).toBe(reason)

  const reading = new AbortController()
  const cache = { get: async () => reading.abort(reason) as undefined, set() {} }
  const cached = createClient({ baseUrl: service.url, cache, retries: 0 })
  expect(await failureOf(cached.passports.get(7, { signal: reading.signal }))).toBe(reason)
  expect(service.receivedKeys).toHaveLength(0)

  using timers = spyOn(globalThis, 'setTimeout')
  const controller = new AbortController()
  const waiting = failureOf(client.passports.get(7, { signal: controller.signal }))
  await until(() => timers.mock.calls.some(([, delay]) => delay === 20_000))
  controller.abort(reason)
  expect(await waiting).toBe(reason)
  expect(service.receivedKeys).toHaveLength(1)
})

test('an error of the user callback or cache is rethrown unchanged, without a retry', async () => {
  const full = new Error('The disk is full.')
  const fail = () => {
    throw full
  }
  await using service = startReplies([200, '{"passport":{}}', { ETag: '"a"', Deprecation: '@1' }])
  for (const own of [{ onDeprecation: fail }, { cache: { get: () => undefined, set: fail } }]) {
    service.receivedKeys.length = 0
    expect(await failureOf(createClient({ baseUrl: service.url, ...own }).passports.get(7))).toBe(full)
    expect(service.receivedKeys).toHaveLength(1)
  }
})

test('an infinite timeout never fires, and a list ends if its response has no page numbers', async () => {
  await using service = startReplies([200, '{"passports":[],"pagination":{}}'])
  const options = { baseUrl: service.url, timeout: Number.POSITIVE_INFINITY, retries: 0 }
  expect(await Array.fromAsync(createClient(options).passports.list())).toEqual([])
  expect(service.receivedKeys).toHaveLength(1)
  // The delay is limited to 2^31 - 1 ms, because setTimeout fires at once for a longer one.
  using timers = spyOn(globalThis, 'setTimeout')
  const fetch = async () => Response.json({ passport: {} })
  expect((await createClient({ ...options, fetch }).passports.get(7)) as object).toEqual({})
  expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([2 ** 31 - 1])
})

test('an invalid URL or key throws without showing the key, and a line break after the key is removed', async () => {
  expect(() => createClient({ baseUrl: 'nowhere' })).toThrow(
    'baseUrl must be a URL such as https://host, got "nowhere".',
  )
  for (const apiKey of ['se\ncret', 'secret\0', 'secret→']) {
    expect(() => createClient({ baseUrl: 'http://localhost', apiKey })).toThrow(
      new TypeError('apiKey contains a character that is not printable ASCII.'),
    )
  }
  await using service = startReplies(PASSPORT)
  await createClient({ baseUrl: service.url, apiKey: 'secret\r\n' }).passports.get(7)
  expect(service.receivedKeys).toEqual(['secret'])
})

test('the memory cache evicts the least recently used entry', async () => {
  const cache = createMemoryCache(2)
  for (const url of ['a', 'b']) await cache.set(url, { etag: url, body: url })
  await cache.get('a')
  await cache.set('c', { etag: 'c', body: 'c' })
  expect(
    [await cache.get('a'), await cache.get('b'), await cache.get('c')].map((each) => each?.body),
  ).toEqual(['a', undefined, 'c'])
})
