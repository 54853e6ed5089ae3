import { PassportError } from './errors.ts'
import { parseBody } from './exchange.ts'
import type { RequestOptions, Transport } from './transport.ts'

/** The service sends a comment every 15 seconds, so a stream that is silent for this time is broken. */
const SILENCE = 45_000

type Stream = RequestOptions & {
  /** Returns the path of the stream that begins after the event `id`. */
  pathAfter: (id: string) => string
  after: string
}

/**
 * Yields server-sent events until `signal` is aborted, those of one read together. `next` is the cursor after them.
 * Reconnects, and continues after the last event.
 */
export async function* follow<T>(transport: Transport, { pathAfter, after, signal }: Stream) {
  let next = after
  let most = transport.retries
  for (let failures = 0; ; failures++) {
    try {
      const stream = await transport.open(pathAfter(next), { signal })
      most = Number.POSITIVE_INFINITY
      for await (const events of readEvents(stream, signal)) {
        failures = 0
        for (const { id } of events) next = id ?? next
        const items = events.flatMap(({ data }) => (data === '' ? [] : [parseBody<T>(data, 'specversion')]))
        yield { items, next, isCurrent: true }
      }
      throw new PassportError('network', 'The connection was closed.')
    } catch (error) {
      await transport.waitAfter(error, failures, most, signal)
    }
  }
}

/**
 * Ends when the stream ends or is silent for too long, and throws if it fails. The service sends the data of an event
 * on one line. An event without data only moves the cursor.
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
      if (events.length === 0) continue
      yield events.map((event) => ({
        id: /^id: ?(.*)$/m.exec(event)?.[1],
        data: /^data: ?(.*)$/m.exec(event)?.[1] ?? '',
      }))
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
