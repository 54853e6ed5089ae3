import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy to a local server. It can cut, suspend and delay connections. */
export async function tcpProxy(targetPort: number) {
  const pairs = new Set<[Socket, Socket]>()
  const sockets = () => [...pairs].flat()
  let isHanging = false
  let isRefusing = false
  let delay = 0

  const server = createServer((client) => {
    if (isRefusing) return void client.resetAndDestroy()
    const target = connect(targetPort, '127.0.0.1')
    const pair: [Socket, Socket] = [client, target]
    pairs.add(pair)
    forward(client, target)
    forward(target, client, () => delay)
    for (const socket of pair) {
      socket.on('close', () => pairs.delete(pair))
      if (isHanging) socket.pause()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as { port: number }).port,
    cut() {
      for (const socket of sockets()) socket.resetAndDestroy()
    },
    /** Suspends the traffic of all connections, old and new, but keeps them open. */
    hang() {
      isHanging = true
      for (const socket of sockets()) socket.pause()
    },
    /** Ends all connections, and each new one at once. */
    refuse() {
      isRefusing = true
      this.cut()
    },
    flow() {
      isHanging = false
      isRefusing = false
      for (const socket of sockets()) socket.resume()
    },
    /** Delays each packet of the server. */
    slowDown(milliseconds: number) {
      delay = milliseconds
    },
    /** Suspends only the connections with these client ports, as the server sees them. */
    lose(isLost: (port: number | undefined) => boolean) {
      for (const pair of pairs) if (isLost(pair[1].localPort)) for (const socket of pair) socket.pause()
    },
    async [Symbol.asyncDispose]() {
      this.cut()
      await new Promise((done) => server.close(done))
    },
  }
}

function forward(from: Socket, to: Socket, delay = () => 0): void {
  const later = (work: () => void) => (delay() === 0 ? work() : setTimeout(work, delay()))
  from.on('data', (bytes) => later(() => to.write(bytes)))
  from.on('end', () => later(() => to.end()))
  from.on('error', () => to.destroy())
  from.on('close', () => later(() => to.destroy()))
}
