import { expect, test } from 'bun:test'
import { connect } from 'node:net'
import { join } from 'node:path'
import { listenHere } from '../support/listener.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** A client that keeps its connection. */
function openConnection(port: number) {
  const closed = Promise.withResolvers<string>()
  const socket = connect(port, '127.0.0.1')
  let received = ''
  let onResponse: (() => void) | undefined
  socket.on('data', (chunk) => {
    received += chunk
    if (received.endsWith('{"status":"ok"}')) onResponse?.()
  })
  socket.on('error', () => undefined).on('close', () => closed.resolve(received))
  return {
    closed: closed.promise,
    request(): Promise<string> {
      received = ''
      socket.write('GET /health HTTP/1.1\r\nHost: x\r\n\r\n')
      const answered = new Promise<string>((resolve) => {
        onResponse = () => resolve(received)
      })
      return Promise.race([answered, closed.promise])
    },
  }
}

test('a server that stops answers the next request on a connection and then closes it, and closes idle connections', async () => {
  using folder = tempFolder()
  await using node = await listenHere({ DATABASE_URL: `sqlite:${join(folder.path, 'drain.db')}` })
  const [client, idle] = [1, 2].map(() => openConnection(Number(new URL(node.url).port)))
  expect(await client?.request()).not.toContain('\r\nConnection: close\r\n')
  const last = await idle?.request()
  const drained = node.drain()
  // The request is in the socket before the runtime can close the connection.
  const response = await client?.request()
  expect(response).toStartWith('HTTP/1.1 200 ')
  expect(response).toContain('\r\nConnection: close\r\n')
  expect(await client?.closed).toBe(response as string)
  await drained
  expect(await idle?.closed).toBe(last as string)
})
