import { describe, expect, spyOn, test } from 'bun:test'
import type { Socket } from 'node:net'
import { setTimeout as sleepReally } from 'node:timers/promises'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import {
  createThrottledClient,
  ResponseError,
  SourceError,
  type ThrottleOptions,
} from '../../src/ingest/throttled-client.ts'
import { answer, serveRaw } from '../support/http/faulty-proxy.ts'
import { NOON } from '../support/store/records.ts'

type Answer = () => Response | Promise<Response>

const good: Answer = () => Response.json({ fine: true })
const status = (code: number, headers: Record<string, string> = {}): Answer => {
  return () => new Response(code === 304 ? null : '{"fine":true}', { status: code, headers })
}
const fail = (message: string): Answer => {
  return () => Promise.reject(new Error(message))
}

const GOOD = { status: 200 as const, body: { fine: true }, etag: '' }

/** A fake clock that advances only while all work waits. */
function fakeTime() {
  let time = NOON
  const sleepers: { at: number; wake: () => void }[] = []
  return {
    now: () => time,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => sleepers.push({ at: time + milliseconds, wake })),
    async pass<T>(work: Promise<T>): Promise<T> {
      let over = false
      const end = () => {
        over = true
      }
      work.then(end, end)
      while (!over) {
        await new Promise(setImmediate)
        const next = sleepers.sort((one, other) => one.at - other.at).shift()
        if (!next) continue
        time = next.at
        next.wake()
      }
      return work
    },
  }
}

/** A client whose requests receive `answers` in turn; the last one repeats. */
function createClient(answers: readonly Answer[], options: Partial<ThrottleOptions> = {}) {
  const time = fakeTime()
  const begun: number[] = []
  const client = createThrottledClient({
    base: 'http://source.test',
    key: undefined,
    userAgent: 'test',
    rate: 1000,
    now: time.now,
    ticks: time.now,
    sleep: time.sleep,
    random: () => 0,
    signal: new AbortController().signal,
    async fetch() {
      const next = answers[begun.length] ?? answers.at(-1)
      begun.push(time.now() - NOON)
      return (next as Answer)()
    },
    ...options,
  })
  return {
    time,
    begun,
    get: (path = '/x', etag?: string) => time.pass(client.get(path, etag)),
    getMany: (count: number) =>
      time.pass(Promise.all(Array.from({ length: count }, (_, at) => client.get(`/${at}`)))),
  }
}

describe('rate limit', () => {
  test('requests keep the configured interval, without bursts after idle time', async () => {
    const { begun, getMany, time } = createClient([good], { rate: 8 })
    await getMany(40)
    expect(begun).toEqual(Array.from({ length: 40 }, (_, at) => at * 125))
    await time.pass(time.sleep(5000))
    const now = time.now() - NOON
    await getMany(3)
    expect(begun.slice(40)).toEqual([now, now + 125, now + 250])
  })

  test('a clock that is set back delays no request', async () => {
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
    ['the older form of RateLimit', 200, { RateLimit: 'limit=9, remaining=0, reset=5' }],
    ['RateLimit-Remaining: 0', 200, { 'RateLimit-Remaining': '0', 'RateLimit-Reset': '5' }],
  ] as const)('%s pauses all requests, which then keep the configured interval', async (_, code, headers) => {
    const { begun, getMany } = createClient([status(code, headers), good], { rate: 100 })
    expect(await getMany(6)).toEqual(Array(6).fill(GOOD))
    const after = code === 200 ? 5 : 6
    expect(begun).toEqual([0, ...Array.from({ length: after }, (_, at) => 5000 + at * 10)])
  })

  test.each([
    ['requests remain', { RateLimit: '"default";r=3;t=60' }],
    ['the policy with 0 remaining requests has no reset time', { RateLimit: '"day";r=0, "burst";r=5;t=60' }],
    ['RateLimit-Remaining is 1', { 'RateLimit-Remaining': '1', 'RateLimit-Reset': '60' }],
    ['Retry-After is a date in the past', { 'Retry-After': new Date(NOON - 5000).toUTCString() }],
    ['Retry-After is not a time', { 'Retry-After': 'soon' }],
  ] as const)('no request waits if %s', async (_, headers) => {
    const { begun, getMany } = createClient([status(200, headers)], { rate: 100 })
    await getMany(3)
    expect(begun).toEqual([0, 10, 20])
  })

  test('429 without a time pauses all requests, longer each time', async () => {
    const { begun, getMany } = createClient([status(429), status(429), good], { rate: 100 })
    await getMany(3)
    expect(begun).toEqual([0, 500, 1500, 1510, 1520])
  })

  test('a pause lasts at most an hour, and a request that is always rate-limited fails in the end', async () => {
    const wait = status(429, { 'Retry-After': '86400' })
    const patient = createClient([...Array(20).fill(wait), good])
    expect(await patient.get()).toEqual(GOOD)
    expect(patient.begun.slice(0, 3)).toEqual([0, 3600_000, 7200_000])
    const { begun, get } = createClient([wait])
    const error = await get('/busy').catch((error) => error)
    expect(error).toBeInstanceOf(ResponseError)
    expect(error.message).toBe('/busy: no valid response after 100 attempts, the last: status 429')
    expect(begun).toHaveLength(100)
  })
})

describe('retries', () => {
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
    const error = await get('/y').catch((error) => error)
    expect(error).toBeInstanceOf(ResponseError)
    const [complaint, last] = error.message.split(/(?<=last): /)
    expect(complaint).toBe('/y: no valid response after 8 attempts, the last')
    expect(last).toEqual(reason)
  })

  test.each([
    [0, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    [1, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
  ])('delays grow up to a limit, with jitter between half and all of it (%d)', async (random, waits) => {
    const { begun, get } = createClient([status(500)], { random: () => random })
    await get().catch(() => undefined)
    expect(begun.slice(1).map((at, index) => at - (begun[index] as number))).toEqual(waits)
  })

  test('a source that never responded fails the whole run after three attempts', async () => {
    const { get } = createClient([fail('unable to connect')])
    const error = await get().catch((error) => error)
    expect(error).toBeInstanceOf(SourceError)
    expect(error.message).toBe(
      'http://source.test: no valid response after 3 attempts, the last: unable to connect. Check the URL.',
    )
  })

  test('a source without a response for ten minutes fails the whole run', async () => {
    const { get, time } = createClient([good, fail('unable to connect')])
    await get()
    expect(await get().catch((error) => error)).toBeInstanceOf(ResponseError)
    await time.pass(time.sleep(600_000))
    const error = await get().catch((error) => error)
    expect(error).toBeInstanceOf(SourceError)
    expect(error.message).toContain('http://source.test stopped responding: ')
  })

  test.each([
    [404, { status: 404 }],
    [410, { status: 404 }],
    [304, { status: 304 }],
  ])('status %d is a valid response', async (code, reply) => {
    const { begun, get } = createClient([status(code)])
    expect(await get('/x', '"tag"')).toEqual(reply as never)
    expect(begun).toHaveLength(1)
  })

  test.each([
    [400, ResponseError, '/x: received status 400'],
    [401, SourceError, 'http://source.test rejected the request (401). Pass a valid API key.'],
    [403, SourceError, 'http://source.test rejected the request (403). Pass a valid API key.'],
  ] as const)('status %d is not retried', async (code, kind, message) => {
    const { begun, get } = createClient([status(code)])
    const error = await get().catch((error) => error)
    expect(error).toBeInstanceOf(kind)
    expect(error.message).toBe(message)
    expect(begun).toHaveLength(1)
  })
})

describe('over a real connection', () => {
  const really = { fetch: (url: string, init: RequestInit) => fetch(url, init) }

  test('a request has User-Agent, API key and If-None-Match', async () => {
    const seen: Headers[] = []
    await using server = await serveRaw((socket, _, headers) => {
      seen.push(headers)
      answer(socket, 200, { ETag: '"new"' }, '{"fine":true}')
    })
    const given = { ...really, base: server.url, userAgent: 'passportd/9 (mirror)', key: 'k-1' }
    expect(await createClient([], given).get('/x', '"old"')).toEqual({ ...GOOD, etag: '"new"' })
    await createClient([], { ...given, key: undefined }).get()
    const sent = seen.map((headers) =>
      ['User-Agent', 'X-API-KEY', 'If-None-Match', 'Accept'].map((name) => headers.get(name)),
    )
    expect(sent).toEqual([
      ['passportd/9 (mirror)', 'k-1', '"old"', 'application/json'],
      ['passportd/9 (mirror)', null, null, 'application/json'],
    ])
  })

  test('connection resets and incomplete responses are retried', async () => {
    const body = '{"fine":true}'
    const responses: ((socket: Socket) => unknown)[] = [
      (socket) => answer(socket, 200, {}, body),
      (socket) => socket.resetAndDestroy(),
      (socket) => answer(socket, 200, {}, body, 5),
      (socket) => answer(socket, 200, {}, body, 0),
      (socket) => socket.end(),
      (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"fin\r\n'),
      (socket) => answer(socket, 200, {}, body),
    ]
    await using server = await serveRaw((socket) => responses.shift()?.(socket))
    const { get } = createClient([], { ...really, base: server.url })
    await get()
    expect(await get()).toEqual(GOOD)
    expect(responses).toEqual([])
  })

  test('redirects are reported, never followed', async () => {
    const paths: string[] = []
    await using server = await serveRaw((socket, path) => {
      paths.push(path)
      answer(socket, 301, { Location: '/elsewhere/api/v1/passports?page=1' }, '')
    })
    const { get } = createClient([], { ...really, base: server.url, key: 'secret' })
    const error = await get('/api/v1/passports').catch((error) => error)
    expect(error).toBeInstanceOf(SourceError)
    expect(error.message).toBe(
      `${server.url} redirects to ${server.url}/elsewhere/api/v1/passports (301). Use that URL.`,
    )
    expect(paths).toEqual(['/api/v1/passports'])
  })

  test.each([
    'http://169.254.169.254/latest/',
    'http://[::1]/',
    'file:///etc/passwd',
    '//other.example/',
    '',
  ])('the target of a redirect to %p receives neither a request nor the key', async (place) => {
    const asked: string[] = []
    await using server = await serveRaw((socket) => answer(socket, 307, { Location: place }, ''))
    const follow = (url: string, init: RequestInit) => {
      asked.push(url)
      return fetch(url, init)
    }
    const { get } = createClient([], { fetch: follow, base: server.url, key: 'secret' })
    expect(await get().catch((error) => error)).toBeInstanceOf(SourceError)
    expect(asked).toEqual([`${server.url}/x`])
  })

  const QUICK = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
  test.each([
    ['gzip', gzipSync],
    ['br', (zeros: Uint8Array) => brotliCompressSync(zeros, QUICK)],
    ['zstd', zstdCompressSync],
  ] as const)(
    'a body of 64 MB in less than 300 kB of %s is rejected without inflating all of it',
    async (encoding, pack) => {
      const bomb = pack(new Uint8Array(64 * 1024 * 1024))
      expect(bomb.length).toBeLessThan(300_000)
      await using server = await serveRaw((socket) =>
        answer(socket, 200, { 'Content-Encoding': encoding }, bomb),
      )
      const { get } = createClient([], { ...really, base: server.url })
      const error = await get().catch((error) => error)
      expect(error.message).toBe('/x: the response is larger than 8 MiB')
    },
  )

  test('a slow response is aborted after 30 s', async () => {
    const timeout = spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
      const controller = new AbortController()
      // A thousand times faster.
      setTimeout(() => controller.abort(new Error(`${milliseconds} ms are over`)), milliseconds / 1000)
      return controller.signal
    })
    await using server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
      const drip = setInterval(() => socket.write(' '), 5)
      socket.on('close', () => clearInterval(drip))
    })
    const { get } = createClient([], { ...really, base: server.url })
    const error = await get()
      .catch((error) => error)
      .finally(() => timeout.mockRestore())
    expect(error.message).toContain('no valid response after 3 attempts, the last: 30000 ms are over')
  })

  test('an endless body is rejected before it fills the memory', async () => {
    let sent = 0
    const endless = () =>
      new ReadableStream({
        pull(controller) {
          sent++
          controller.enqueue(new Uint8Array(1024 * 1024).fill(32))
        },
      })
    using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(endless()) })
    const { get } = createClient([], { ...really, base: server.url.origin })
    const error = await get('/large').catch((error) => error)
    expect(error).toBeInstanceOf(ResponseError)
    expect(error.message).toBe('/large: the response is larger than 8 MiB')
    expect(sent).toBeLessThan(200)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['rate-limited', (socket) => answer(socket, 429, { 'Retry-After': '900' }, '')],
    ['waiting for a retry', (socket) => answer(socket, 500, {}, '')],
    ['waiting for a response', () => undefined],
  ])('a client that is %s stops at once when it is aborted', async (_, respond) => {
    const controller = new AbortController()
    const { signal } = controller
    await using server = await serveRaw((socket) => {
      respond(socket)
      setTimeout(() => controller.abort(), 50)
    })
    const client = createThrottledClient({
      ...really,
      base: server.url,
      key: undefined,
      userAgent: 'test',
      rate: 1000,
      now: Date.now,
      ticks: () => performance.now(),
      random: () => 1,
      signal,
      sleep: (milliseconds) => sleepReally(milliseconds, undefined, { signal }).catch(() => undefined),
    })
    const requests = Array.from({ length: 3 }, () => client.get('/x').catch((error) => error.name))
    expect(await Promise.all(requests)).toEqual(Array(3).fill('AbortError'))
  })
})
