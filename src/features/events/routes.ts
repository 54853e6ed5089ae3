import { onlyOne, parseKeyParameter, parseNames } from '../../core/api/parameters.ts'
import { listParameter, V3 } from '../../core/api/surface.ts'
import { findUnknown, invalidParameter, invalidValue, invalidValues } from '../../core/basics/errors.ts'
import { quote } from '../../core/basics/text/quote.ts'
import { EVENT_TYPES, type EventType } from '../../core/history/event.ts'
import {
  type EventCursor,
  formatEventCursor,
  isInLog,
  notInLog,
  parseEventCursor,
} from '../../core/history/event-cursor.ts'
import { EventPage, type WireEventPage } from '../../core/history/event-schema.ts'
import { presentEventItem } from '../../core/history/present-event.ts'
import { releaseBody, takeTurn } from '../../core/http/byte-budget.ts'
import { createPage, sendPage } from '../../core/http/rendered-page.ts'
import { JSON_HEADERS, stream } from '../../core/http/response.ts'
import { type Context, type Query, route } from '../../core/http/route.ts'
import { parseLimit } from '../../core/lists/list-request.ts'
import { type EventFilter, followEvents, MOST_STREAMS, MOST_STREAMS_OF_KEY, sourceOf } from './streams.ts'

const DEFAULT_LIMIT = 100
const LARGEST_LIMIT = 1000

export const LATEST = 'latest'

type Start = EventCursor | typeof LATEST | undefined

const PARAMETERS = {
  after: {
    description:
      'A cursor: `next` of a page, or the `id` of an event. `latest` is the end of the log. Without it, the oldest events come first.',
    schema: { type: 'string', examples: ['k3f9a2-918273'] },
  },
  limit: {
    description: 'Events per page; not with streams',
    schema: { type: 'integer', minimum: 1, maximum: LARGEST_LIMIT, default: DEFAULT_LIMIT },
  },
  types: listParameter('Only events of these types', { enum: EVENT_TYPES }),
  passport: {
    description:
      'Only events of this passport: an id, a wallet or a handle. An id may be that of a merged or removed passport.',
  },
  include: listParameter(
    '`proof` adds the `salt` of each event, and the tombstones of removed events; not with streams',
    { enum: ['proof'] },
  ),
}

/** The data of the events of a page takes at most 1 MiB. */
const PAGE_BYTES = 2 * 1024 * 1024

type Parameters = Query<keyof typeof PARAMETERS>

export const events = route(V3, {
  name: 'v3_events',
  path: '/api/v3/events',
  scope: 'events',
  needsKey: true,
  id: 'listEvents',
  summary: 'List or follow all changes of passports and rule sets',
  description: `CloudEvents 1.0 in commit order. Follow \`next\`: when it equals \`after\`, there are no newer events yet. With \`Accept: text/event-stream\`, the response is a stream of server-sent events that stays open; each server thread has at most ${MOST_STREAMS} streams, ${MOST_STREAMS_OF_KEY} of them with the same key. A key is always required.`,
  query: PARAMETERS,
  requestHeaders: {
    'Last-Event-ID': {
      description: 'Streams only: the `id` of the last event that the client received. Overrides `after`.',
    },
  },
  responseHeaders: ['NextLink', 'Vary', 'X-Accel-Buffering'],
  response: EventPage,
  errors: ['not_found', 'ambiguous', 'cursor_expired', 'overloaded'],
  handle: listEvents,
})

const EVENTS_PER_UNIT = 250
/** Each salt takes an HMAC. */
const PROVEN_PER_UNIT = 125

async function listEvents(request: Request, context: Context, parameters: Parameters): Promise<Response> {
  const isStream = request.method === 'GET' && request.headers.get('accept')?.includes('text/event-stream')
  for (const name of ['limit', 'include'] as const)
    if (isStream && parameters[name] !== undefined)
      throw invalidParameter(name, `${name} is for pages: leave it out, or accept application/json.`)
  const include = parseNames('include', parameters.include)
  const unknown = findUnknown('value of include', include ?? [], ['proof'], () => '?include')
  if (unknown.length > 0) throw invalidValues(unknown)
  const limit = parseLimit(parameters.limit, DEFAULT_LIMIT, LARGEST_LIMIT)
  const filter = await parseEventFilter(context, parameters)
  if (isStream) return openStream(context, parameters, filter)
  context.charge(Math.ceil(limit / (include ? PROVEN_PER_UNIT : EVENTS_PER_UNIT)))
  await takeTurn(context, PAGE_BYTES)
  const after = parseCursor('?after', parameters.after)
  const { events, end, log } = await readPage(context, after, { ...filter, limit, isProven: !!include })
  const next = formatEventCursor({ log: log.name, sequence: end })
  const names = { log: log.name, source: sourceOf(context.publicUrl) }
  const page: WireEventPage = { items: events.map((event) => presentEventItem(event, names)), next }
  const link = `</api/v3/events?${new URLSearchParams({ ...parameters, after: next })}>; rel="next"`
  return sendPage(request, context, createPage(JSON.stringify(page), { ...JSON_HEADERS, Link: link }))
}

/** A client that reconnects repeats the parameters, and sends its last cursor as `Last-Event-ID`. */
async function openStream(context: Context, parameters: Parameters, filter: EventFilter): Promise<Response> {
  const last = context.request.headers.get('last-event-id') ?? ''
  const log = await context.store.events.log()
  const position = last === '' ? parseCursor('?after', parameters.after) : parseCursor('Last-Event-ID', last)
  const sequence = position === LATEST ? log.last : log.first - 1
  const cursor = typeof position === 'object' ? position : { log: log.name, sequence }
  if (!isInLog(cursor, log)) throw notInLog(cursor, log, last === '' ? '?after' : 'Last-Event-ID')
  releaseBody(context)
  const response = await stream(context, 'text/event-stream', followEvents(context, cursor, log, filter))
  // Otherwise proxies such as nginx would buffer events.
  response.headers.set('X-Accel-Buffering', 'no')
  return response
}

async function parseEventFilter(context: Context, { types, passport }: Parameters): Promise<EventFilter> {
  const names = parseNames('types', types)
  const unknown = findUnknown('event type', names ?? [], EVENT_TYPES, () => '?types')
  if (unknown.length > 0) throw invalidValues(unknown)
  return {
    ...(names && { types: [...new Set(names as EventType[])].sort() }),
    ...(passport !== undefined && { passport: await findPassportId(context, passport) }),
  }
}

/** An id is not looked up: merged and removed passports have events too. */
export async function findPassportId(
  { store }: Context,
  text: string,
  pointer = '?passport',
): Promise<number> {
  const key = parseKeyParameter(text, pointer)
  if ('id' in key) return key.id
  const [result] = await store.passports.findByKeys([key], { credentials: false })
  return onlyOne(text, result).passport.id
}

/** `undefined` is the start of the log. Throws `invalid_request`. */
export function parseCursor(pointer: string, text: string | undefined): Start {
  if (text === undefined || text === LATEST) return text
  const cursor = parseEventCursor(text)
  if (cursor) return cursor
  const name = pointer.replace(/^[?#/]+/, '')
  const detail = `${name} must be "next" of a page, the id of an event, or ${LATEST}, got ${quote(text)}.`
  throw invalidValue(pointer, detail)
}

type EventRange = EventFilter & { limit: number; isProven: boolean }

/** Throws `cursor_expired` or `invalid_request` if the log does not have all events after the cursor. */
async function readPage({ store: { events } }: Context, start: Start, { isProven, ...page }: EventRange) {
  if (start === LATEST) {
    const log = await events.log()
    return { events: [], end: log.last, log }
  }
  const result = await events[isProven ? 'listProven' : 'list']({ ...page, after: start?.sequence ?? 0 })
  if (!start || isInLog(start, result.log)) return result
  // The client may have read the event from a server that has received it earlier.
  const log = await events.log()
  if (!isInLog(start, log)) throw notInLog(start, log)
  return { events: [], end: start.sequence, log }
}
