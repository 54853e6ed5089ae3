import type { Awaitable } from '../basics/awaitable.ts'
import { ClientGone, invalidValue } from '../basics/errors.ts'
import { quote } from '../basics/text/quote.ts'
import type { EventLog } from '../history/event.ts'
import { type EventCursor, notInLog, parseEventCursor } from '../history/event-cursor.ts'
import type { Context } from '../http/route.ts'
import type { Store } from '../store/store.ts'

export const AFTER = {
  description:
    'The `cursor` of a write, or the id of an event: the response includes it. The service waits up to two seconds for it, then responds with 503 and the code `behind`.',
  schema: { type: 'string', examples: ['k3f9a2-918273'] },
}

/** Waits until reads include the event; returns its cursor. Throws `invalid_request` or `cursor_expired`. */
export function waitForCursor(
  context: Context,
  text: string | undefined,
  pointer = '?after',
): Awaitable<EventCursor | undefined> {
  if (text === undefined) return undefined
  const cursor = parseEventCursor(text)
  if (cursor) return findCursor(context, cursor, pointer)
  throw invalidValue(
    pointer,
    `after must be the cursor of a write or the id of an event, got ${quote(text)}.`,
  )
}

async function findCursor({ store: { events }, request }: Context, cursor: EventCursor, pointer: string) {
  const isIn = ({ name, last }: EventLog) => name === cursor.log && last >= cursor.sequence
  let log = await events.log()
  // The first read for which others wait, too, may come too early for this event. The second does not.
  for (let reads = 0; reads < 2 && !isIn(log); reads++) log = await readNext(events)
  if (isIn(log)) return cursor
  if (request.signal.aborted) throw new ClientGone()
  throw notInLog(cursor, log, pointer)
}

/** Reads of SQLite share a transaction for 5 ms, which may have begun before the write. */
const PAUSE_MILLISECONDS = 10

/** The next read of the log, which all requests that wait for an event share. */
const nextReads = new WeakMap<Store['events'], Promise<EventLog>>()

const readNext = (events: Store['events']) =>
  nextReads.getOrInsertComputed(events, async () => {
    await Bun.sleep(PAUSE_MILLISECONDS)
    nextReads.delete(events)
    return events.log()
  })
