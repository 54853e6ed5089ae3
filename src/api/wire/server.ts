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
import { createHoldings, MOST_HELD } from './holdings.ts'
import { mostConnections } from './most-connections.ts'
import { createOutbox } from './outbox.ts'
import type { Reply } from './reply.ts'
import { createTurn } from './turn.ts'

export type WireOptions = {
  host: string
  port: number
  /** A socket that listens there already, to be used instead of a new one. */
  fd?: number | undefined
  handle: Handle
  refuse(refusal: Refusal): Reply
  /** For the date of answers. */
  now(): number
  /** Told when there are so many callers that others are turned away, and when that is over. */
  onNotice?: ((sentence: string) => void) | undefined
  patience?: Patience
  mostHeld?: number
  mostConnections?: number
}

export type WireServer = {
  url: URL
  port: number
  /** The socket that listens. */
  fd: number
  /**
   * Ends when every connection has: those with a request under way when it is answered, or at once if need be. Those who
   * are just coming are answered too.
   */
  stop(atOnce?: boolean): Promise<void>
}

/** How often connections are looked at that may have been quiet for too long; in milliseconds. */
const SWEEP = 500
const ENDING_SWEEP = 100
/** A caller that keeps its connection busy is told to end it in its next answer, and loses no request, however far away it is. */
const GRACE = 500
/** Whoever is connecting when it is to end gets there in this time. */
const DOOR_GRACE = 200

/** HTTP/1.1 over sockets. Throws where the port cannot be had. */
export function serveHttp(options: WireOptions): WireServer {
  const { host, fd, handle, refuse, now, onNotice, patience = PATIENCE } = options
  const most = options.mostConnections ?? mostConnections()
  const connections = new Map<Socket, Connection>()
  const stopped = Promise.withResolvers<void>()
  const outbox = createOutbox(now)
  let isEnding = false
  let isClosed = false
  let isFull = false
  const service: Service = {
    handle,
    refuse,
    outbox,
    turn: createTurn(outbox),
    holdings: createHoldings(options.mostHeld ?? MOST_HELD),
    isEnding: () => isEnding,
    patience,
  }

  function enter(socket: Socket): void {
    if (connections.size >= most) {
      socket.terminate()
      if (!isFull) onNotice?.(`All ${most} connections are in use: callers are turned away.`)
      isFull = true
      return
    }
    socket.data = createConnection(socket, service)
    connections.set(socket, socket.data)
    if (isEnding) socket.data.endSoon(GRACE)
  }

  function leave(socket: Socket): void {
    socket.data?.close()
    connections.delete(socket)
    // With some to spare: callers that come and go would fill the log.
    if (isFull && connections.size < most / 2) {
      isFull = false
      onNotice?.('There is room for connections again.')
    }
    endIfEmpty()
  }

  function sweep(): void {
    for (const connection of connections.values()) connection.sweep()
  }

  function closeDoor(): void {
    if (!isClosed) listener.stop()
    isClosed = true
    endIfEmpty()
  }

  function endIfEmpty(): void {
    if (!isClosed || connections.size > 0) return
    clearInterval(sweeping)
    stopped.resolve()
  }

  const listening = {
    // A caller that has sent all its requests may say so before it has its answers.
    allowHalfOpen: true,
    socket: {
      open: enter,
      data: (socket: Socket, chunk: Buffer) => socket.data?.receive(chunk),
      drain: (socket: Socket) => socket.data?.drain(),
      end: (socket: Socket) => socket.data?.finish(),
      close: leave,
      error: leave,
    },
  }
  const listener =
    fd === undefined
      ? Bun.listen<Connection>({ hostname: host, port: options.port, reusePort: false, ...listening })
      : Bun.listen<Connection>({ fd, ...listening })
  const port = fd === undefined ? listener.port : options.port
  let sweeping = setInterval(sweep, SWEEP)

  return {
    url: urlOf(host, port),
    port,
    fd: listener.fd,
    stop(atOnce = false) {
      if (!isEnding) {
        isEnding = true
        setTimeout(closeDoor, DOOR_GRACE)
        clearInterval(sweeping)
        sweeping = setInterval(sweep, ENDING_SWEEP)
      }
      for (const [socket, connection] of connections) {
        if (atOnce) socket.terminate()
        else connection.endSoon(GRACE)
      }
      if (atOnce) closeDoor()
      return stopped.promise
    },
  }
}

export const urlOf = (host: string, port: number) =>
  new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}/`)
