import { connect, createServer, type Socket } from 'node:net'

/** Stands between clients and a server on this machine, and hands on every byte until it is told otherwise. */
export async function tcpProxy(targetPort: number) {
  const pairs = new Set<[Socket, Socket]>()
  let isHanging = false

  const server = createServer((client) => {
    const target = connect(targetPort, '127.0.0.1')
    const pair: [Socket, Socket] = [client, target]
    pairs.add(pair)
    handOn(client, target)
    handOn(target, client)
    for (const socket of pair) {
      socket.on('close', () => pairs.delete(pair))
      if (isHanging) socket.pause()
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as { port: number }).port,
    /** Resets all connections. */
    cut() {
      for (const pair of pairs) for (const socket of pair) socket.resetAndDestroy()
    },
    /** From here on nothing goes through, though connections stay and new ones are made. */
    hang() {
      isHanging = true
      for (const pair of pairs) for (const socket of pair) socket.pause()
    },
    flow() {
      isHanging = false
      for (const pair of pairs) for (const socket of pair) socket.resume()
    },
    /** Nothing goes through these connections any more, by the port that the server sees; others are well. */
    lose(isLost: (port: number | undefined) => boolean) {
      for (const pair of pairs) if (isLost(pair[1].localPort)) for (const socket of pair) socket.pause()
    },
    async [Symbol.asyncDispose]() {
      this.cut()
      await new Promise((done) => server.close(done))
    },
  }
}

function handOn(from: Socket, to: Socket): void {
  from.on('data', (bytes) => to.write(bytes))
  from.on('end', () => to.end())
  from.on('error', () => to.destroy())
  from.on('close', () => to.destroy())
}
