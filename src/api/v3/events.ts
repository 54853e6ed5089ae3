import { EVENT_TYPES, type EventType } from '../../domain/history/event.ts'
import {
  cursorExpired,
  type EventCursor,
  formatEventCursor,
  isInLog,
  parseEventCursor,
} from '../../domain/history/event-cursor.ts'
import { findUnknown, invalidParameter, invalidValues } from '../../domain/invalid-parameter.ts'
import { parseLimit } from '../../domain/lists/list-request.ts'
import { quote } from '../../domain/text/quote.ts'
import type { WireEventPage } from '../../domain/v3/event-schema.ts'
import { presentEvent } from '../../domain/v3/present-event.ts'
import { unitsOfEvents } from '../../domain/v3/units.ts'
import type { EventList } from '../../store/event-store.ts'
import { createPage, sendPage } from '../rendered-page.ts'
import type { Context, RouteRequest } from '../request.ts'
import { JSON_HEADERS } from '../response.ts'
import type { EventFilter } from './event-streams.ts'
import { parametersOf, parseNames } from './parameters.ts'
import { ambiguous, noPassport, parseKey } from './passports.ts'

const PARAMETERS = ['after', 'limit', 'types', 'passport'] as const

type Parameters = Partial<Record<(typeof PARAMETERS)[number], string>>

const DEFAULT_LIMIT = 100
export const LARGEST_LIMIT = 1000

/** The end of the log. */
const LATEST = 'latest'

type Start = EventCursor | typeof LATEST | undefined

export async function listEvents(request: RouteRequest, context: Context): Promise<Response> {
  const parameters = parametersOf(request, PARAMETERS)
  const isStream = request.method === 'GET' && request.headers.get('accept')?.includes('text/event-stream')
  if (isStream && parameters.limit !== undefined)
    throw invalidParameter('limit', 'limit is for pages: leave it out, or accept application/json.')
  const limit = parseLimit(parameters.limit, DEFAULT_LIMIT, LARGEST_LIMIT)
  const filter = await parseFilter(context, parameters)
  if (isStream) return openStream(request, context, parameters, filter)
  await context.charge(unitsOfEvents(limit))
  const after = parseCursor('?after', parameters.after)
  const { events, end, log } = await readPage(context, after, limit, filter)
  const next = formatEventCursor({ log: log.name, sequence: end })
  const page: WireEventPage = {
    items: events.map((event) => presentEvent(event, { log: log.name, source: context.streams.source })),
    next,
  }
  const link = `</api/v3/events?${new URLSearchParams({ ...parameters, after: next })}>; rel="next"`
  return sendPage(request, context, createPage(JSON.stringify(page), { ...JSON_HEADERS, Link: link }))
}

/** A reconnecting client repeats the parameters, and sends its place as `Last-Event-ID`. */
async function openStream(
  { headers }: Request,
  context: Context,
  parameters: Parameters,
  filter: EventFilter,
): Promise<Response> {
  const last = headers.get('last-event-id') ?? ''
  const log = await context.store.events.log()
  const given = last === '' ? parseCursor('?after', parameters.after) : parseCursor('Last-Event-ID', last)
  const sequence = given === LATEST ? log.last : log.first - 1
  const cursor = typeof given === 'object' ? given : { log: log.name, sequence }
  if (!isInLog(cursor, log)) throw cursorExpired(cursor, log)
  const body = context.streams.open(cursor, {
    filter,
    keyId: context.keyId,
    disconnect: context.disconnect,
    onError: context.onError,
  })
  const response = new Response(body, { headers: context.headers })
  response.headers.set('Content-Type', 'text/event-stream')
  // Proxies such as nginx would collect events otherwise.
  response.headers.set('X-Accel-Buffering', 'no')
  return response
}

async function parseFilter(context: Context, { types, passport }: Parameters): Promise<EventFilter> {
  return {
    ...(types !== undefined && { types: parseTypes(types) }),
    ...(passport !== undefined && { passport: await findPassport(context, passport) }),
  }
}

function parseTypes(text: string): EventType[] {
  const types = parseNames('types', text)
  const unknown = findUnknown('event type', types, EVENT_TYPES, () => '?types')
  if (unknown.length > 0) throw invalidValues(unknown)
  return [...new Set(types as EventType[])].sort()
}

/** An id is not looked up: merged and removed passports have events too. */
async function findPassport({ store }: Context, text: string): Promise<number> {
  const key = parseKey(text, '?passport')
  if ('id' in key) return key.id
  const [found] = await store.v3.find([key], { credentials: false })
  if (!found) throw noPassport(text)
  if ('candidates' in found) throw ambiguous(text, found.candidates)
  return found.passport.id
}

/** `undefined` is the start of the log. Throws `invalid_request`. */
function parseCursor(pointer: string, text: string | undefined): Start {
  if (text === undefined || text === LATEST) return text
  const cursor = parseEventCursor(text)
  if (cursor) return cursor
  const name = pointer.replace('?', '')
  const detail = `${name} must be "next" of a page, the id of an event, or ${LATEST}, got ${quote(text)}.`
  throw invalidValues([{ pointer, detail }])
}

/** Throws `cursor_expired` if the log does not have all events after the cursor. */
async function readPage(
  { store: { events } }: Context,
  start: Start,
  limit: number,
  filter: EventFilter,
): Promise<EventList> {
  if (start === LATEST) {
    const log = await events.log()
    return { events: [], end: log.last, log }
  }
  const page = await events.list({ ...filter, after: start?.sequence ?? 0, limit })
  if (!start || isInLog(start, page.log)) return page
  // A replica may not have the last events yet.
  const log = await events.log()
  if (!isInLog(start, log)) throw cursorExpired(start, log)
  return { events: [], end: start.sequence, log }
}
