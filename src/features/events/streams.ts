import { setTimeout as sleep } from 'node:timers/promises'
import { ClientGone, overloaded, ServiceError } from '../../core/basics/errors.ts'
import type { EventLog } from '../../core/history/event.ts'
import { type EventCursor, formatEventCursor, isInLog } from '../../core/history/event-cursor.ts'
import { presentEvent } from '../../core/history/present-event.ts'
import { holdBody, IDLE_SECONDS, isGone, releaseBody, takeTurn } from '../../core/http/byte-budget.ts'
import { isActive } from '../../core/http/client-identity.ts'
import type { Context, OpenStreams } from '../../core/http/route.ts'
import type { EventPage } from '../../core/store/rows/event.ts'

/** Maximum number of open streams per server thread, and per key in one thread. */
export const MOST_STREAMS = 200
export const MOST_STREAMS_OF_KEY = 10

/** How often a thread reads the end of the log, once for all of its streams. */
const POLL_MILLISECONDS = 100

/** Number of events that are read and rendered at once: about 130 KB. */
const PAGE = 500

export type EventFilter = Pick<EventPage, 'passport' | 'types'>

type Page = { text: string; end: number; log: EventLog }

type Shared = {
  /** The log at the last poll. */
  log: EventLog
  poll?: Promise<void> | undefined
  /** The pages since the last poll: streams with the same position and filter share one read. */
  pages: Map<string, Promise<Page>>
  isFailing: boolean
}

const MOST_PAGES = 8

const states = new WeakMap<OpenStreams, Shared>()

/**
 * Yields blocks of the events of the log after the cursor. The next ones are read when the client has received these.
 * Throws `rate_limited` or `overloaded` at the start if there are too many streams.
 */
export async function* followEvents(
  context: Context,
  start: EventCursor,
  log: EventLog,
  filter: EventFilter,
) {
  const { streams } = context
  checkStreamLimit(context)
  streams.open.add(context)
  try {
    const shared = states.getOrInsertComputed(streams, () => ({ log, pages: new Map(), isFailing: false }))
    shared.log = log
    yield* follow(context, shared, start, filter)
  } catch (error) {
    // The client connects again.
    if (!(error instanceof ClientGone)) context.onError(error)
  } finally {
    streams.open.delete(context)
    if (streams.open.size === 0) states.delete(streams)
  }
}

async function* follow(context: Context, shared: Shared, start: EventCursor, filter: EventFilter) {
  const { streams } = context
  let cursor = start
  let commentedAt = performance.now()
  yield toComment(cursor)
  while (!streams.isEnding && !isGone(context)) {
    if (performance.now() - commentedAt >= streams.commentMilliseconds) {
      if ((await mayFollow(context, shared)) === false) return
      yield toComment(cursor)
      commentedAt = performance.now()
    }
    if (cursor.sequence >= shared.log.last) {
      await poll(context, shared)
      // Another log replaced this one: the client connects again, and gets 410.
      if (shared.log.name !== cursor.log) return
      continue
    }
    const { text, end, log } = await readEvents(context, shared, cursor.sequence, filter)
    if (!isInLog(cursor, log)) return
    // After a failover, the server may lack the last events.
    if (end <= cursor.sequence) await poll(context, shared)
    else cursor = { ...cursor, sequence: end }
    if (text !== '') yield* send(context, text)
  }
}

function checkStreamLimit({ streams, principal }: Context): void {
  if (streams.isEnding || streams.open.size >= MOST_STREAMS)
    throw overloaded('The server has too many open streams. Try again shortly.')
  const ofKey = [...streams.open].filter((other) => other.principal.id === principal.id)
  if (ofKey.length < MOST_STREAMS_OF_KEY) return
  throw new ServiceError('rate_limited', `A key may have ${MOST_STREAMS_OF_KEY} open streams: close one.`, {
    headers: { 'Retry-After': '2' },
  })
}

/** While a client receives a large block, it holds its bytes. */
async function* send(context: Context, text: string) {
  const size = Buffer.byteLength(text)
  await takeTurn(context, size)
  holdBody(context, size)
  yield text
  releaseBody(context)
  context.server.timeout(context.request, IDLE_SECONDS)
}

/** Reads the end of the log, once for all streams that wait. While the log cannot be read, streams stay open. */
function poll(context: Context, shared: Shared): Promise<void> {
  shared.poll ??= sleep(POLL_MILLISECONDS).then(async () => {
    shared.poll = undefined
    shared.log = (await readForStreams(context, shared, () => context.store.events.log())) ?? shared.log
    shared.pages.clear()
  })
  return shared.poll
}

async function readEvents(context: Context, { pages, log }: Shared, after: number, filter: EventFilter) {
  // Other requests come first, because reading from SQLite blocks the event loop.
  await takeTurn(context)
  const key = JSON.stringify([after, log, filter.passport, filter.types])
  if (pages.size >= MOST_PAGES) pages.clear()
  return pages.getOrInsertComputed(key, async () => {
    try {
      return await render(context, after, filter)
    } catch (error) {
      pages.delete(key)
      throw error
    }
  })
}

async function render({ store, publicUrl }: Context, after: number, filter: EventFilter): Promise<Page> {
  const { events, end, log } = await store.events.list({ ...filter, after, limit: PAGE })
  const names = { log: log.name, source: sourceOf(publicUrl) }
  return { text: events.map((event) => toBlock(presentEvent(event, names))).join(''), end, log }
}

export const sourceOf = (publicUrl: string) => `${publicUrl}/api/v3`

const toBlock = (event: ReturnType<typeof presentEvent>) =>
  `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/** A message with an id but no data updates the client's last event id without causing an event. */
const toComment = (cursor: EventCursor) => `:\nid: ${formatEventCursor(cursor)}\n\n`

/** Whether the key is still valid; `undefined` if it cannot be read. */
const mayFollow = (context: Context, shared: Shared) =>
  readForStreams(context, shared, async () => {
    const key = await context.store.keys.find(context.principal.id)
    return isActive(key, context.now()) && key?.scopes.includes('events')
  })

/** Returns undefined if `work` fails. The first failure of an outage is logged. */
async function readForStreams<T>(context: Context, shared: Shared, work: () => T | Promise<T>) {
  try {
    const result = await work()
    shared.isFailing = false
    return result
  } catch (error) {
    if (!shared.isFailing) context.onError(error)
    shared.isFailing = true
    return undefined
  }
}
