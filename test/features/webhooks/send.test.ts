import { expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { send } from '../../../src/features/webhooks/send.ts'
import { makeKey } from '../../support/http/keys.ts'
import { deliverTo, receiveWebhooks, stateOf, subscribe } from '../../support/http/webhook-receiver.ts'
import { openTestStore } from '../../support/store/engines.ts'
import { record } from '../../support/store/records.ts'
import { until } from '../../support/wait-until.ts'

/** A receiver that calls `respond` when a request arrives. */
async function receiveRaw(respond: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => respond(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}/`, [Symbol.dispose]: () => void server.close() }
}

const attempt = (url: string, given: Partial<Parameters<typeof send>[3]> = {}) =>
  send(url, {}, '{}', { allowPrivate: true, signal: new AbortController().signal, ...given })

/** Sends an interim response again and again. */
function repeatInterim(socket: Socket): void {
  const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n'))
  socket.on('close', () => clearInterval(timer))
}

const TOO_MANY = { error: 'The receiver sent more than 4 interim responses (1xx).' }

test('an attempt ends at the fifth interim response', async () => {
  let isClosed = false
  using receiver = await receiveRaw((socket) => {
    socket.on('close', () => {
      isClosed = true
    })
    repeatInterim(socket)
  })
  expect(await attempt(receiver.url)).toEqual(TOO_MANY)
  await until(() => isClosed)
})

test('a receiver may send four interim responses, also 100 Continue', async () => {
  using receiver = await receiveRaw((socket) =>
    socket.end(
      `${'HTTP/1.1 100 Continue\r\n\r\n'.repeat(3)}HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`,
    ),
  )
  expect(await attempt(receiver.url)).toEqual({ status: 204 })
})

test('an attempt ends while the headers of a response arrive, if they are larger than 12,800 bytes', async () => {
  using receiver = await receiveRaw(
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${`X-Filler: ${'x'.repeat(990)}\r\n`.repeat(13)}`),
  )
  expect(await attempt(receiver.url)).toEqual({ error: 'The connection failed (HPE_HEADER_OVERFLOW).' })
})

test('a resolver that returns no address makes the attempt fail', async () => {
  const failed = { error: 'The connection failed (ENOTFOUND).' }
  for (const url of ['http://empty.example/', 'https://empty.example/'])
    expect(await attempt(url, { resolve: async () => [] })).toEqual(failed)
})

test('a receiver that sends interim responses for ever fails, and other subscriptions get their events', async () => {
  await using store = await openTestStore(
    'sqlite',
    Array.from({ length: 20 }, (_, at) => record(at + 1)),
  )
  using hostile = await receiveRaw(repeatInterim)
  await using receiver = receiveWebhooks()
  const { id: keyId } = await makeKey(store, 1)
  const failing = await subscribe(store, hostile.url, { keyId })
  await subscribe(store, receiver.url, { keyId })
  await using _loop = deliverTo(store)
  await until(() => receiver.received.length === 20)
  await until(async () => (await stateOf(store, failing)).failures > 0)
  expect((await stateOf(store, failing)).lastError).toBe(TOO_MANY.error)
})
