import { createTurns } from './awaitable.ts'
import { ClientGone, type ErrorCode, type InvalidValue, overloaded, ServiceError } from './errors.ts'

type Request<Call> = { id: number; call: Call } | { cancel: number }
type Outcome<Answer> = { answer: Answer } | { failure: Failure }
type Result<Answer> = { id: number } & Outcome<Answer>

/** An expected error has a code. Any other error has the stack of the thread in which it was thrown. */
type Failure = {
  message: string
  code?: ErrorCode
  invalid?: readonly InvalidValue[]
  stack?: string | undefined
}

type CallOptions = {
  /** An aborted signal cancels the call, which is rejected with `ClientGone`. */
  signal?: AbortSignal | undefined
  /** After this time the call is cancelled, and rejected with the error. */
  limit?: { milliseconds: number; error: () => Error } | undefined
  /** The call is sent even if too many calls wait. */
  isUrgent?: boolean
}

/**
 * Calls another thread. Each call gets an answer or an error. `ended` is the message of the error if no thread is
 * connected, or if it ends before it answers. While `mostWaiting` calls wait, others are rejected as `overloaded`. With
 * `isRepeated`, unanswered calls are sent again to the next thread.
 */
export function createCaller<Call, Answer>(ended: string, mostWaiting: number, isRepeated = false) {
  const waiting = new Map<number, PromiseWithResolvers<Answer> & { call: Call }>()
  const threadEnded = () => new ServiceError('unavailable', ended)
  let port: MessagePort | undefined
  let last = 0

  function receive({ data }: MessageEvent<Result<Answer>>): void {
    const result = waiting.get(data.id)
    waiting.delete(data.id)
    // Bun handles messages before sockets. Rendering many lists without a pause would delay all other requests.
    setImmediate(() => {
      if ('answer' in data) result?.resolve(data.answer)
      else result?.reject(toError(data.failure))
    })
  }

  return {
    /** Connects to a thread that was started or restarted. */
    connect(next: MessagePort): void {
      port?.close()
      port = next
      port.onmessage = receive
      for (const [id, { call, reject }] of waiting)
        if (isRepeated) port.postMessage({ id, call } satisfies Request<Call>)
        else reject(threadEnded())
      if (!isRepeated) waiting.clear()
    },

    async send(call: Call, { signal, limit, isUrgent = false }: CallOptions = {}): Promise<Answer> {
      if (!port) throw threadEnded()
      // The client may have disconnected while its request waited in a queue.
      if (signal?.aborted) throw new ClientGone()
      if (waiting.size >= mostWaiting && !isUrgent) throw overloaded()
      const id = ++last
      // postMessage() throws if the call cannot be cloned, so the call is added to `waiting` only after it.
      port.postMessage({ id, call } satisfies Request<Call>)
      const result = Promise.withResolvers<Answer>()
      waiting.set(id, { ...result, call })
      const cancel = (error: Error) => {
        if (!waiting.delete(id)) return
        port?.postMessage({ cancel: id } satisfies Request<Call>)
        result.reject(error)
      }
      signal?.addEventListener('abort', () => cancel(new ClientGone()))
      const timer = limit && setTimeout(() => cancel(limit.error()), limit.milliseconds)
      return result.promise.finally(() => clearTimeout(timer))
    },
  }
}

/** `isCancelled` tells whether the caller no longer waits. */
type Run<Call, Answer> = (call: Call, isCancelled: () => boolean) => Promise<Answer>

/** Answers the calls of another thread, each at most once. */
export function receiveCalls<Call, Answer>(port: MessagePort, run: Run<Call, Answer>): void {
  const open = new Set<number>()

  function reply(id: number, outcome: Outcome<Answer>): void {
    if (open.has(id)) port.postMessage({ id, ...outcome } satisfies Result<Answer>)
    open.delete(id)
  }

  port.onmessage = ({ data }: MessageEvent<Request<Call>>) => {
    if ('cancel' in data) return void open.delete(data.cancel)
    const { id, call } = data
    open.add(id)
    // If the answer cannot be cloned, `reply` throws before it closes the call, so that the error can be sent instead.
    void run(call, () => !open.has(id))
      .then((answer) => reply(id, { answer }))
      .catch((error) => reply(id, { failure: toFailure(error) }))
  }
}

/** Runs calls one at a time, first in, first out, after `ready` resolves. Skips cancelled calls. */
export function createQueue<Call, Answer>(
  run: (call: Call) => Answer | Promise<Answer>,
  ready = Promise.resolve(),
): Run<Call, Answer> {
  const inTurn = createTurns(ready)
  return (call, isCancelled) =>
    inTurn(async () => {
      // Pending messages are processed first: they may cancel the call.
      await new Promise(setImmediate)
      if (isCancelled()) throw new ClientGone()
      return run(call)
    })
}

function toFailure(error: unknown): Failure {
  if (error instanceof ServiceError) {
    const { message, code, invalid } = error
    return { message, code, invalid }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { message, stack }
}

const toError = ({ message, code, invalid = [], stack }: Failure) =>
  code ? new ServiceError(code, message, { invalid }) : Object.assign(new Error(message), { stack })
