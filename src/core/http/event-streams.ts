import { setTimeout as sleep } from 'node:timers/promises'
import { overloaded, ServiceError } from '../basics/errors.ts'
import type { EventLog } from '../history/event.ts'
import { type EventCursor, formatEventCursor, isInLog } from '../history/event-cursor.ts'
import type { WireEvent } from '../history/event-schema.ts'
import { presentEvent } from '../history/present-event.ts'
import type { EventPage } from '../store/rows/event.ts'
import type { Store } from '../store/store.ts'
import { isActive } from './client-identity.ts'

/** Maximum number of open streams per server thread, and per key in one thread. */
export const MOST_STREAMS = 200
export const MOST_STREAMS_OF_KEY = 10

/** How often a thread reads new events from the log, once for all of its streams. */
const POLL_MILLISECONDS = 100

const LIMITS = {
  /** Interval of keep-alive comments: well below the idle timeout of connections. */
  commentMilliseconds: 15_000,
  /** A client with too much unsent data is disconnected unless it reads within this time. */
  stallMilliseconds: 10_000,
}

export type StreamLimits = typeof LIMITS

/** The limit of one stream. 200 streams, each with one more page of events, hold at most about 100 MB. */
const MOST_UNSENT_BYTES = 256 * 1024

/** Number of events that are read and rendered at once. */
const PAGE = 500

export type EventFilter = Pick<EventPage, 'passport' | 'types'>

type StreamOptions = {
  filter: EventFilter
  keyId: string
  /** Closes the connection, also if the client does not read. */
  disconnect: () => void
  /** Called with an error that ends the stream. */
  onError: (error: unknown) => void
}

type Stream = StreamOptions & {
  cursor: EventCursor
  controller: ReadableStreamDefaultController<Uint8Array>
  /** When the client began to have too much unsent data. */
  stalledAt: number | undefined
}

type RenderedEvents = { bytes: Uint8Array | undefined; end: number; log: EventLog }

type Options = {
  store: Pick<Store, 'events' | 'keys'>
  /** The `source` of the events: the URL of the API. */
  source: string
  now: () => number
  /** Called once per outage, when the log cannot be read. Streams stay open meanwhile. */
  onError: (error: unknown, request: { route: string }) => void
  limits?: Partial<StreamLimits> | undefined
}

type Streams = ReturnType<typeof createState>

const createState = ({ limits, ...options }: Options) => ({
  ...options,
  limits: { ...LIMITS, ...limits },
  open: new Set<Stream>(),
  /** Pages read since the last poll. Streams with the same position and filter share one read. */
  pages: new Map<string, Promise<RenderedEvents>>(),
  /** The log at the last poll. */
  log: undefined as EventLog | undefined,
  isPolling: false,
  /** Resolved by the next poll. */
  polled: Promise.withResolvers<void>(),
  isFailing: false,
  isEnding: false,
})

/** The open event streams of a server thread. A stream reads the next events when its client has received the previous ones. */
export function createEventStreams(options: Options) {
  const streams = createState(options)
  return {
    source: options.source,
    count: () => streams.open.size,
    /** Returns a response body that streams the events after the cursor. Throws `rate_limited` or `overloaded`. */
    open(cursor: EventCursor, given: StreamOptions): ReadableStream<Uint8Array> {
      checkStreamLimit(streams, given.keyId)
      let stream: Stream
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream = { ...given, cursor, controller, stalledAt: undefined }
            streams.open.add(stream)
            controller.enqueue(toComment(cursor))
            if (!streams.isPolling) void poll(streams)
          },
          pull: () => isolate(streams, stream, () => sendNext(streams, stream)),
          cancel: () => void streams.open.delete(stream),
        },
        new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNSENT_BYTES }),
      )
    },
    /** Ends all streams, and refuses new ones. */
    end(): void {
      streams.isEnding = true
      for (const stream of streams.open) close(streams, stream)
    },
  }
}

export type EventStreams = ReturnType<typeof createEventStreams>

function checkStreamLimit({ open, isEnding }: Streams, keyId: string): void {
  if (isEnding || open.size >= MOST_STREAMS)
    throw overloaded('The server has too many open streams. Try again shortly.')
  if ([...open].filter((stream) => stream.keyId === keyId).length < MOST_STREAMS_OF_KEY) return
  throw new ServiceError('rate_limited', `A key may have ${MOST_STREAMS_OF_KEY} open streams: close one.`, {
    headers: { 'Retry-After': '2' },
  })
}

/** An error ends this stream alone. */
async function isolate(streams: Streams, stream: Stream, work: () => void | Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    stream.onError(error)
    close(streams, stream)
  }
}

function close({ open }: Streams, stream: Stream): void {
  if (open.delete(stream)) stream.controller.close()
}

/** Waits for the next events of the stream and sends them. */
async function sendNext(streams: Streams, stream: Stream): Promise<void> {
  while (streams.open.has(stream)) {
    const { cursor } = stream
    if (streams.log && cursor.sequence >= streams.log.last) {
      await streams.polled.promise
      continue
    }
    // Other requests come first, because reading from SQLite blocks the event loop.
    await new Promise(setImmediate)
    const { bytes, end, log } = await read(streams, stream)
    if (!streams.open.has(stream)) return
    // After a failover, the server may lack the last events.
    if (end <= cursor.sequence) await streams.polled.promise
    // Another log replaced this one: the client connects again, and gets 410.
    else if (!isInLog(cursor, log)) close(streams, stream)
    else {
      stream.cursor = { ...cursor, sequence: end }
      if (bytes) return stream.controller.enqueue(bytes)
    }
  }
}

const isFull = ({ controller }: Stream) => (controller.desiredSize ?? 0) <= 0

function read(streams: Streams, { cursor: { sequence }, filter }: Stream): Promise<RenderedEvents> {
  const key = JSON.stringify([sequence, filter.passport, filter.types])
  return streams.pages.getOrInsertComputed(key, () => render(streams, sequence, filter))
}

async function render(
  { store, source }: Streams,
  after: number,
  filter: EventFilter,
): Promise<RenderedEvents> {
  const { events, end, log } = await store.events.list({ ...filter, after, limit: PAGE })
  const blocks = events.map((event) => formatEvent(presentEvent(event, { log: log.name, source })))
  return { bytes: blocks.length === 0 ? undefined : encode(blocks.join('')), end, log }
}

/** An event of a stream, as clients receive it. */
const formatEvent = (event: WireEvent) =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** Polls the log for all streams while any is open. */
async function poll(streams: Streams): Promise<void> {
  const { open, pages, store, limits } = streams
  let commentedAt = performance.now()
  streams.isPolling = true
  try {
    while (open.size > 0) {
      // While the log cannot be read, streams stay open.
      streams.log = (await attempt(streams, () => store.events.log())) ?? streams.log
      pages.clear()
      const time = performance.now()
      for (const stream of open) await isolate(streams, stream, () => check(streams, stream, time))
      wake(streams)
      if (time - commentedAt >= limits.commentMilliseconds) {
        commentedAt = time
        await Promise.all([...open].map((stream) => isolate(streams, stream, () => comment(streams, stream))))
      }
      await sleep(POLL_MILLISECONDS)
    }
  } finally {
    streams.isPolling = false
    wake(streams)
  }
}

function wake(streams: Streams): void {
  streams.polled.resolve()
  streams.polled = Promise.withResolvers()
}

/** Ends a stream if its log was replaced or if its client does not read. */
function check(streams: Streams, stream: Stream, time: number): void {
  const { log, limits } = streams
  stream.stalledAt = isFull(stream) ? (stream.stalledAt ?? time) : undefined
  const isStalled = time - (stream.stalledAt ?? time) >= limits.stallMilliseconds
  if (isStalled || (log && log.name !== stream.cursor.log)) close(streams, stream)
  // A closed stream stays in memory until all its data is sent.
  if (isStalled) stream.disconnect()
}

/** Sends a keep-alive comment with the cursor of the stream, or ends the stream if its key is no longer valid. */
async function comment(streams: Streams, stream: Stream): Promise<void> {
  const { store, now } = streams
  const isValid = await attempt(streams, async () => {
    const key = await store.keys.find(stream.keyId)
    return isActive(key, now()) && key?.scopes.includes('events')
  })
  if (isValid === false) close(streams, stream)
  if (streams.open.has(stream) && !isFull(stream)) stream.controller.enqueue(toComment(stream.cursor))
}

/** A message with an id but no data updates the client's last event id without causing an event. */
const toComment = (cursor: EventCursor) => encode(`:\nid: ${formatEventCursor(cursor)}\n\n`)

const encode = (text: string) => new TextEncoder().encode(text)

/** Returns undefined if `work` fails. The first failure of an outage is reported. */
async function attempt<T>(streams: Streams, work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    const result = await work()
    streams.isFailing = false
    return result
  } catch (error) {
    if (!streams.isFailing) streams.onError(error, { route: 'v3_events' })
    streams.isFailing = true
    return undefined
  }
}
