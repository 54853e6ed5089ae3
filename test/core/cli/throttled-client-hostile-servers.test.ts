import { expect, spyOn, test } from 'bun:test'
import type { Socket } from 'node:net'
import { setTimeout as sleepReally } from 'node:timers/promises'
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { createThrottledGet } from '../../../src/core/cli/throttled-client.ts'
import { answer, serveRaw } from '../../support/http/faulty-proxy.ts'
import { createClient, QUICK, SourceError } from '../../support/mirror/throttled-client.ts'

const really = { fetch: (url: string, init: RequestInit) => fetch(url, init) }

test.each([
  ['/elsewhere?page=1', 'SERVER/elsewhere'],
  ['http://169.254.169.254/latest/', 'http://169.254.169.254/latest/'],
  ['file:///etc/passwd', 'null/etc/passwd'],
  ['//other.example/', 'http://other.example/'],
  ['http://[', 'another URL'],
])('the client does not follow a redirect to %p, and does not send the key', async (place, named) => {
  const asked: string[] = []
  await using server = await serveRaw((socket) => answer(socket, 307, { Location: place }, ''))
  const follow = (url: string, init: RequestInit) => {
    asked.push(url)
    return fetch(url, init)
  }
  const { get } = createClient([], { fetch: follow, base: server.url, key: 'secret' })
  const target = named.replace('SERVER', server.url)
  expect(await get().catch((error) => error)).toEqual(
    new SourceError(`${server.url} redirects to ${target} (307). Use that URL.`),
  )
  expect(asked).toEqual([`${server.url}/x`])
})

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
test.each([
  ['gzip', gzipSync],
  ['br', (zeros: Uint8Array) => brotliCompressSync(zeros, FAST)],
  ['zstd', zstdCompressSync],
] as const)(
  'a body of 64 MB that %s compressed to less than 300 kB is rejected as larger than 8 MiB',
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
  using timers = spyOn(globalThis, 'setTimeout')
  await using server = await serveRaw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n ')
    // Fires the timeout after the first byte of the body.
    const [expire] = timers.mock.calls.findLast(([, delay]) => delay === 30_000) ?? []
    if (typeof expire === 'function') expire()
  })
  const { get } = createClient([], { ...really, base: server.url })
  const error = await get().catch((error) => error)
  expect(error.message).toContain('after 3 attempts, the last: No response within 30000 ms.')
})

test.each<[string, (socket: Socket, abort: () => void) => void]>([
  ['rate-limited', (socket) => answer(socket, 429, { 'Retry-After': '900' }, '')],
  ['waiting for a retry', (socket) => answer(socket, 500, {}, '')],
  ['waiting for a response', (_socket, abort) => abort()],
])('a client that is %s stops at once when it is aborted', async (_, respond) => {
  const controller = new AbortController()
  const { signal } = controller
  await using server = await serveRaw((socket) => respond(socket, () => controller.abort()))
  const send = createThrottledGet({
    ...QUICK,
    ...really,
    base: server.url,
    now: Date.now,
    ticks: () => performance.now(),
    random: () => 1,
    signal,
    sleep: (milliseconds) => {
      // A longer pause is a retry delay; shorter ones only space out the requests.
      if (milliseconds > 100) setImmediate(() => controller.abort())
      return sleepReally(milliseconds, undefined, { signal }).catch(() => undefined)
    },
  })
  const requests = Array.from({ length: 3 }, () => send('/x').catch((error) => error.name))
  expect(await Promise.all(requests)).toEqual(Array(3).fill('AbortError'))
})
