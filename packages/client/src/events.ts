import { PassportError } from './errors.ts'
import { parseBody } from './response.ts'
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

/** Without data, only the place in the stream is new. */
type ServerSentEvent = { id: string | undefined; data: string }

async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ServerSentEvent> {
  let id: string | undefined
  let data: string[] = []
  for await (const line of readLines(stream, signal)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'id') id = value
    else if (name === 'data') data.push(value)
    else if (line === '') {
      yield { id, data: data.join('\n') }
      data = []
    }
  }
}

/** Ends with the stream, and throws if it is silent or fails. */
async function* readLines(stream: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
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
      const lines = (rest + decoder.decode(value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
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
