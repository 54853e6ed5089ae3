import type { Awaitable } from '../../store/store.ts'
import { createHeadReader, type Head, type Refusal } from './head.ts'
import type { Incoming } from './incoming.ts'
import type { Outbox } from './outbox.ts'
import type { Reply } from './reply.ts'

export type Handle = (incoming: Incoming) => Awaitable<Reply>

export type Service = {
  handle: Handle
  /** The answer to what is no request. */
  refuse(refusal: Refusal): Reply
  outbox: Outbox
  /** Whether connections are to end with their next answer. */
  isEnding(): boolean
  now(): number
  patience: Patience
}

export type Socket = Bun.Socket<Connection>

export type Connection = {
  receive(chunk: Buffer): void
  /** To be told when the other side has taken something. */
  drain(): void
  /** To be told when the other side will send no more. It may still read. */
  finish(): void
  /** To be told when the other side is gone. */
  close(): void
  /** Where nothing is under way, it ends after a while in which its next request would still be answered. */
  endSoon(grace: number): void
  /** Ends it where it took too long. */
  sweep(): void
}

/** How long callers are waited for, in milliseconds. */
export type Patience = {
  /** One that keeps its connection may come back after so long. */
  idle: number
  /** A head must be whole after so long, however slowly it drips. */
  head: number
  /** A caller may take nothing of its answer for so long. */
  stall: number
  /** After the last answer, what still comes is thrown away for so long: to close at once could destroy the answer. */
  linger: number
}

export const PATIENCE: Patience = { idle: 60_000, head: 10_000, stall: 30_000, linger: 2000 }

/** Input that waits for earlier answers; more than this is not read from the system. */
const MOST_WAITING = 64 * 1024

/** One caller's requests, one after the other. */
export function createConnection(socket: Socket, service: Service): Connection {
  const { patience } = service
  const readHead = createHeadReader()
  const address = socket.remoteAddress
  /** What came and is not looked at yet. */
  let input: Buffer | undefined
  /** What the caller has not taken yet of its answers. */
  let unsent: Buffer | undefined
  /** Bytes of a body that nobody reads. */
  let skip = 0
  let state: 'reads' | 'answers' | 'ends' | 'closed' = 'reads'
  let isPaused = false
  let isFinished = false
  let deadline = service.now() + patience.head

  function receive(chunk: Buffer): void {
    if (state === 'ends' || state === 'closed') return
    input = input === undefined ? chunk : Buffer.concat([input, chunk])
    if (state === 'answers' || unsent !== undefined) {
      if (input.length <= MOST_WAITING || isPaused) return
      isPaused = true
      socket.pause()
      return
    }
    work()
  }

  /** Answers what is there to be answered at once. */
  function work(): void {
    let at = 0
    while (state === 'reads' && unsent === undefined && input !== undefined) {
      if (skip > 0) {
        const skipped = Math.min(skip, input.length - at)
        skip -= skipped
        at += skipped
      }
      if (at === input.length) {
        input = undefined
        deadline = service.now() + patience.idle
        break
      }
      const head = readHead(input, at)
      if (head === undefined) {
        // Only when it begins: more of it does not give it more time.
        if (at > 0 || deadline > service.now() + patience.head) deadline = service.now() + patience.head
        input = at === 0 ? input : Buffer.from(input.subarray(at))
        at = 0
        break
      }
      if ('code' in head) {
        send(service.refuse(head), true, false)
        break
      }
      at = head.end
      skip = head.bodyLength
      if (!answer(head, at)) return
    }
    if (at > 0 && input !== undefined) input = at < input.length ? Buffer.from(input.subarray(at)) : undefined
    flush()
  }

  /** Whether it is there at once. */
  function answer(head: Head, at: number): boolean {
    const isHead = head.method === 'HEAD'
    const reply = service.handle({
      method: head.method,
      target: head.target,
      fields: head.fields,
      fieldsLength: head.fieldsLength,
      address,
    })
    if (!(reply instanceof Promise)) {
      send(reply, head.isLast, isHead)
      return true
    }
    state = 'answers'
    deadline = Number.POSITIVE_INFINITY
    input = input !== undefined && at < input.length ? Buffer.from(input.subarray(at)) : undefined
    flush()
    reply.then((late) => {
      if (state !== 'answers') return
      state = 'reads'
      send(late, head.isLast, isHead)
      flush()
      goOn()
    })
    return false
  }

  function send(reply: Reply, isLast: boolean, isHead: boolean): void {
    const ends = isLast || service.isEnding()
    service.outbox.add(reply, { ends, isHead, flush })
    if (ends) state = 'ends'
  }

  /** Hands over what the outbox holds: it is shared by all connections, and must be empty for the next. */
  function flush(): void {
    const { bytes, length } = service.outbox.take()
    if (length > 0) write(bytes, length)
    if (state === 'ends' && unsent === undefined) end()
  }

  function write(bytes: Buffer, length: number): void {
    if (state === 'closed') return
    const sent = unsent === undefined ? Math.max(0, socket.write(bytes, 0, length)) : 0
    if (sent === length) return
    const rest = bytes.subarray(sent, length)
    unsent = unsent === undefined ? Buffer.from(rest) : Buffer.concat([unsent, rest])
    deadline = service.now() + patience.stall
  }

  function drain(): void {
    if (unsent === undefined) return
    const rest = unsent
    unsent = undefined
    write(rest, rest.length)
    if (unsent !== undefined) return
    if (state === 'ends') end()
    else goOn()
  }

  function goOn(): void {
    if (state !== 'reads' || unsent !== undefined) return
    if (isPaused) {
      isPaused = false
      socket.resume()
    }
    if (input !== undefined) work()
    else if (isFinished) end()
    else deadline = service.now() + patience.idle
  }

  function end(): void {
    state = 'ends'
    input = undefined
    deadline = service.now() + patience.linger
    if (isPaused) socket.resume()
    if (isFinished) socket.close()
    else socket.shutdown()
  }

  return {
    receive,
    drain,
    finish() {
      isFinished = true
      if (state === 'ends' && unsent === undefined) socket.close()
      else if (state === 'reads' && unsent === undefined) end()
    },
    close() {
      state = 'closed'
      input = undefined
      unsent = undefined
    },
    endSoon(grace) {
      if (state === 'reads' && unsent === undefined) deadline = Math.min(deadline, service.now() + grace)
    },
    sweep() {
      if (service.now() < deadline) return
      // What the system still holds of the answers is sent, unless the caller does not take it.
      if (unsent === undefined) socket.close()
      else socket.terminate()
    },
  }
}
