import type { Awaitable } from '../../store/store.ts'
import { createHeadReader, type Head, type Refusal } from './head.ts'
import type { Holder, Holdings } from './holdings.ts'
import type { Incoming } from './incoming.ts'
import type { Outbox, Receiver } from './outbox.ts'
import type { Reply } from './reply.ts'
import type { Turn, Worker } from './turn.ts'

/** One that fails costs the caller its connection. */
export type Handle = (incoming: Incoming, isGone: () => boolean) => Awaitable<Reply>

export type Service = {
  handle: Handle
  /** The answer to what is no request. */
  refuse(refusal: Refusal): Reply
  turn: Turn
  outbox: Outbox
  holdings: Holdings
  /** Whether connections are to end with their next answer. */
  isEnding(): boolean
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
  /** Where nothing is under way or has begun, it ends after a while in which its next request would still be answered. */
  endSoon(grace: number): void
  /** Ends it where it took too long. */
  sweep(): void
}

/** How long callers are waited for, in milliseconds. */
export type Patience = {
  /** One that keeps its connection may come back after so long. */
  idle: number
  /**
   * A head must be whole after so long, however slowly it drips; and then its body. One that will send no more may be gone: its
   * answer must be made after so long.
   */
  head: number
  /** A caller may take nothing of its answer for so long. */
  stall: number
  /** After the last answer, what still comes is thrown away for so long: to close at once could destroy the answer. */
  linger: number
}

export const PATIENCE: Patience = { idle: 60_000, head: 10_000, stall: 30_000, linger: 2000 }

/** Input that waits for earlier answers; more than this is not read from the system. */
const MOST_WAITING = 64 * 1024

/** What an answer without a body is counted as: it takes time as well. */
const LEAST_ANSWER = 512

/** Bytes of answers after which others have their turn: one that asks for much at once is not to hold them up. */
const MOST_IN_TURN = 64 * 1024

type Asked = Pick<Head, 'isLast' | 'isOld' | 'method'>
const REFUSED: Asked = { isLast: true, isOld: false, method: '' }

/** One caller's requests, one after the other. */
export function createConnection(socket: Socket, service: Service): Connection {
  const { turn, outbox, holdings, patience } = service
  const readHead = createHeadReader(socket.remoteAddress)
  /** What came and is not looked at yet. */
  let input: Buffer | undefined
  /** What the caller has not taken yet of its answers. */
  let unsent: Uint8Array | undefined
  /** Bytes of both, where they are kept for longer than a turn. */
  let held = 0
  /** Bytes of a body that nobody reads. */
  let skip = 0
  /** `waits`: for an answer that is being made. `ends`: when all that was answered is sent. */
  let state: 'reads' | 'waits' | 'ends' | 'ended' | 'closed' = 'reads'
  let idle = patience.idle
  let isPaused = false
  let isFinished = false
  /** Whether its turn is still to come: it has something to do, however late it is. */
  let isAwaited = false
  /** Whether a head has begun and is not whole. */
  let isBegun = false
  let isLate = false
  let answered = 0
  let deadline = performance.now() + patience.head

  function receive(chunk: Buffer): void {
    if (state !== 'reads' && state !== 'waits') return
    input = input === undefined ? chunk : Buffer.concat([input, chunk])
    if (input.length > MOST_WAITING && !isPaused) {
      isPaused = true
      socket.pause()
    }
    if (state === 'reads' && unsent === undefined) awaitTurn()
    else weigh()
  }

  function weigh(): void {
    const bytes = (input?.length ?? 0) + (unsent?.length ?? 0)
    if (bytes === held) return
    held = bytes
    holdings.set(self, bytes)
  }

  function awaitTurn(): void {
    if (isAwaited) return
    isAwaited = true
    turn.await(self)
  }

  function work(): void {
    isAwaited = false
    let at = 0
    answered = 0
    const wasInBody = skip > 0
    let hasHead = false
    while (state === 'reads' && unsent === undefined && input !== undefined && answered < MOST_IN_TURN) {
      const skipped = Math.min(skip, input.length - at)
      skip -= skipped
      at += skipped
      const head = at < input.length ? readHead(input, at) : undefined
      if (head === undefined) break
      if ('code' in head) {
        send(service.refuse(head), REFUSED)
      } else {
        hasHead = true
        at = head.end
        skip = head.bodyLength
        answer(head)
      }
    }
    if (input !== undefined && at > 0) input = at < input.length ? Buffer.from(input.subarray(at)) : undefined
    weigh()
    if (isPaused && (state === 'ends' || input === undefined || input.length <= MOST_WAITING)) {
      isPaused = false
      socket.resume()
    }
    if (state !== 'reads' || unsent !== undefined) return
    if (answered >= MOST_IN_TURN) {
      // It is not the caller who is waited for.
      deadline = Number.POSITIVE_INFINITY
      awaitTurn()
      return
    }
    const isNew = hasHead || (wasInBody && skip === 0) || (input !== undefined && !isBegun)
    // A head has its time from when it began, and so has a body: more of it does not give it more.
    if (input === undefined && skip === 0) deadline = turn.time() + idle
    else if (isNew || deadline > turn.time() + patience.head) deadline = turn.time() + patience.head
    isBegun = input !== undefined
    // What is left of a body may be long, and a stop does not wait for it.
    if (isFinished || (skip > 0 && service.isEnding())) state = 'ends'
  }

  const isGone = () => state === 'closed'

  function attempt(head: Head): Awaitable<Reply> | undefined {
    try {
      return service.handle(head, isGone)
    } catch {
      // The others of this turn are not to suffer for it.
      self.abort()
      return undefined
    }
  }

  /** It is not the caller who is waited for, unless it may be gone. */
  function awaitAnswer(): void {
    deadline = isFinished ? performance.now() + patience.head : Number.POSITIVE_INFINITY
  }

  function answer(head: Head): void {
    const reply = attempt(head)
    if (!reply) return
    if (!(reply instanceof Promise)) {
      send(reply, head)
      return
    }
    state = 'waits'
    awaitAnswer()
    reply.then(
      (late) => {
        if (state !== 'waits') return
        state = 'reads'
        send(late, head)
        awaitTurn()
      },
      () => self.abort(),
    )
  }

  function send(reply: Reply, { isLast, isOld, method }: Asked): void {
    const ends = isLast || service.isEnding()
    answered += LEAST_ANSWER + reply.body.length
    outbox.add(self, reply, { ends, isOld, isHead: method === 'HEAD' })
    if (ends) state = 'ends'
  }

  function write(bytes: Buffer, start: number, length: number): void {
    if (state === 'ended' || state === 'closed') return
    const sent = unsent === undefined ? Math.max(0, socket.write(bytes, start, length)) : 0
    if (sent === length) return
    hold(Buffer.from(bytes.subarray(start + sent, start + length)))
  }

  function give(bytes: Uint8Array): void {
    if (state === 'ended' || state === 'closed') return
    const sent = unsent === undefined ? Math.max(0, socket.write(bytes)) : 0
    if (sent < bytes.length) hold(bytes.subarray(sent))
  }

  function hold(rest: Uint8Array): void {
    // A part keeps the whole in memory: less than half of it is worth a copy.
    const own = rest.length < rest.buffer.byteLength / 2 ? Buffer.from(rest) : rest
    unsent = unsent === undefined ? own : Buffer.concat([unsent, own])
    deadline = performance.now() + patience.stall
    weigh()
  }

  function settle(): void {
    if (state !== 'ends' || unsent !== undefined) return
    state = 'ended'
    input = undefined
    deadline = performance.now() + patience.linger
    if (isFinished) socket.close()
    else socket.shutdown()
  }

  const self: Connection & Worker & Receiver & Holder = {
    receive,
    work,
    write,
    give,
    settle,
    drain() {
      if (unsent === undefined) return
      const rest = unsent
      unsent = undefined
      give(rest)
      if (unsent !== undefined) return
      if (state === 'waits') awaitAnswer()
      awaitTurn()
    },
    finish() {
      isFinished = true
      if (state === 'waits') awaitAnswer()
      if (state === 'ended') socket.close()
      else awaitTurn()
    },
    abort() {
      self.close()
      socket.terminate()
    },
    close() {
      state = 'closed'
      input = undefined
      unsent = undefined
      weigh()
    },
    endSoon(grace) {
      idle = grace
      if (state === 'reads' && unsent === undefined && !isBegun)
        deadline = Math.min(deadline, performance.now() + grace)
    },
    sweep() {
      const wasLate = isLate
      isLate = !isAwaited && performance.now() >= deadline
      // What came while the process was busy is not read yet: there is one more look.
      if (!isLate || !wasLate) return
      // What the system still holds of the answers is sent, unless the caller does not take it.
      if (unsent === undefined) socket.close()
      else socket.terminate()
    },
  }
  return self
}
