import { createServer } from 'node:net'
import { until } from '../processes.ts'

/** A Redis that accepts connections and never responds: a request waits for the timeout of Redis. */
export async function startSilentRedis() {
  let asked = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      if (data.includes('HELLO')) socket.write('%0\r\n')
      else if (data.includes('greeting')) socket.write(':1\r\n')
      else asked++
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  return {
    url: `redis://127.0.0.1:${address.port}`,
    /** Resolves when a request waits. */
    isAsked: () => until(() => asked > 0),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
