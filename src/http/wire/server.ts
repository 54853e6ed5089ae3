import {
  type Connection,
  createConnection,
  type Handle,
  PATIENCE,
  type Patience,
  type Service,
  type Socket,
} from './connection.ts'
import type { Refusal } from './head.ts'
import { createOutbox } from './outbox.ts'
import type { Reply } from './reply.ts'
import { createTurn } from './turn.ts'

export type WireOptions = {
  host: string
  port: number
  /** Lets other processes listen on the port too, if they also share it: Linux gives each a part of the connections. */
  sharePort: boolean
  handle: Handle
  refuse(refusal: Refusal): Reply
  /** For the date of answers. */
  now(): number
  patience?: Patience
}

export type WireServer = {
  url: URL
  port: number
  /** Ends when every connection has: those with a request under way when it is answered, or at once if need be. */
  stop(atOnce?: boolean): Promise<void>
}

/** How often connections are looked at that may have been quiet for too long; in milliseconds. */
const SWEEP = 500
/** A caller that keeps its connection busy is told to end it in its next answer, and loses no request. */
const GRACE = 200

/** HTTP/1.1 over sockets. Throws where the port cannot be had. */
export function serveHttp(options: WireOptions): WireServer {
  const { host, port, sharePort, handle, refuse, now, patience = PATIENCE } = options
  const connections = new Map<Socket, Connection>()
  const stopped = Promise.withResolvers<void>()
  const outbox = createOutbox(now)
  let isEnding = false
  const service: Service = {
    handle,
    refuse,
    outbox,
    turn: createTurn(outbox),
    isEnding: () => isEnding,
    patience,
  }

  function leave(socket: Socket): void {
    socket.data?.close()
    connections.delete(socket)
    if (isEnding && connections.size === 0) end()
  }

  function sweep(): void {
    for (const connection of connections.values()) connection.sweep()
  }

  function end(): void {
    clearInterval(sweeping)
    stopped.resolve()
  }

  const listening = {
    hostname: host,
    port,
    reusePort: sharePort,
    // A caller that has sent all its requests may say so before it has its answers.
    allowHalfOpen: true,
    socket: {
      open(socket: Socket) {
        socket.data = createConnection(socket, service)
        connections.set(socket, socket.data)
      },
      data: (socket: Socket, chunk: Buffer) => socket.data.receive(chunk),
      drain: (socket: Socket) => socket.data.drain(),
      end: (socket: Socket) => socket.data.finish(),
      close: leave,
      error: leave,
    },
  }
  const listener = Bun.listen<Connection>(listening)
  let sweeping = setInterval(sweep, SWEEP)

  return {
    url: new URL(`http://${host.includes(':') ? `[${host}]` : host}:${listener.port}/`),
    port: listener.port,
    stop(atOnce = false) {
      if (!isEnding) {
        isEnding = true
        listener.stop()
        clearInterval(sweeping)
        sweeping = setInterval(sweep, GRACE)
      }
      for (const [socket, connection] of connections) {
        if (atOnce) socket.terminate()
        else connection.endSoon(GRACE)
      }
      if (connections.size === 0) end()
      return stopped.promise
    },
  }
}
