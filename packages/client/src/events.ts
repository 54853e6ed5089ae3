import { PassportError } from './errors.ts'
import { parseBody } from './exchange.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** The service sends a comment every 15 seconds: a longer silence is a lost connection. */
const SILENCE = 45_000

type Stream = RequestOptions & {
  /** A field of every event. */
  field: string
  /** The path of the stream after an event. */
  pathAfter: (id: string | undefined) => string
  after: string | undefined
}

/** The data of a stream of server-sent events. Continues after the last event if the connection is lost, until it is aborted. */
export async function* follow<T>(transport: Transport, { field, pathAfter, after, signal }: Stream) {
  let last = after
  let most = transport.retries
  for (let failures = 0; ; failures++) {
    try {
      const stream = await transport.open(pathAfter(last), { signal })
      most = Number.POSITIVE_INFINITY
      for await (const { id, data } of readEvents(stream, signal)) {
        failures = 0
        last = id ?? last
        if (data !== '') yield parseBody<T>(data, field)
      }
      throw new PassportError('network', 'The connection was closed.')
    } catch (error) {
      await transport.waitAfter(error, failures, most, signal)
    }
  }
}

/**
 * Ends with the stream, and throws if it is silent or fails. The service sends the data of an event on one line. Without
 * data, only the place in the stream is new.
 */
async function* readEvents(stream: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
  const reader = stream.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel)
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await readInTime(reader, cancel)
      signal?.throwIfAborted()
      if (done) return
      const events = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/)
      rest = events.pop() ?? ''
      for (const event of events)
        yield { id: /^id: ?(.*)$/m.exec(event)?.[1], data: /^data: ?(.*)$/m.exec(event)?.[1] ?? '' }
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

async function readInTime(reader: ReadableStreamDefaultReader<Uint8Array>, cancel: () => void) {
  const timer = setTimeout(cancel, SILENCE)
  try {
    return await reader.read()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new PassportError('network', `The connection was lost: ${reason}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
