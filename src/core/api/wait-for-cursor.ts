import { ClientGone, invalidValue, ServiceError } from '../basics/errors.ts'
import { quote } from '../basics/text/quote.ts'
import { type EventCursor, notInLog, parseEventCursor } from '../history/event-cursor.ts'
import type { Context } from '../http/route.ts'
import type { EventStore } from '../store/event-store.ts'

export const AFTER = {
  description:
    'The `cursor` of a write, or the id of an event: the response includes it. The service waits up to two seconds for it, then responds with 503 and the code `behind`.',
  schema: { type: 'string', examples: ['k3f9a2-918273'] },
}

const LONGEST_WAIT_MILLISECONDS = 2000

/** The pauses between two checks. Reads of SQLite share a transaction for 5 ms. */
const FIRST_PAUSE_MILLISECONDS = 5
const LONGEST_PAUSE_MILLISECONDS = 200

/** Waits until reads of this thread include the event, and returns its cursor. Throws `invalid_request`, `cursor_expired` or `behind`. */
export async function waitForCursor(
  { store: { events }, request }: Context,
  text: string | undefined,
  pointer = '?after',
): Promise<EventCursor | undefined> {
  if (text === undefined) return undefined
  const cursor = parseEventCursor(text)
  if (!cursor)
    throw invalidValue(
      pointer,
      `after must be the cursor of a write or the id of an event, got ${quote(text)}.`,
    )
  const end = performance.now() + LONGEST_WAIT_MILLISECONDS
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLISECONDS)) {
    const { log } = await events.list({ after: cursor.sequence, limit: 1 })
    if (log.name === cursor.log && log.last >= cursor.sequence) return cursor
    const isLate = performance.now() >= end
    if (isLate || pause === FIRST_PAUSE_MILLISECONDS) await checkLog(events, cursor, pointer)
    if (isLate) break
    await Bun.sleep(pause)
    if (request.signal.aborted) throw new ClientGone()
  }
  throw new ServiceError('behind', `This node does not have the event ${text} yet. Try again shortly.`)
}

/** Throws if the log does not have the event. */
async function checkLog(events: EventStore, cursor: EventCursor, pointer: string): Promise<void> {
  const log = await events.log()
  if (cursor.log !== log.name || cursor.sequence > log.last) throw notInLog(cursor, log, pointer)
}
