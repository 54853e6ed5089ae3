import { invalidValue, ServiceError } from '../basics/errors.ts'
import type { EventLog } from './event.ts'

/** The position after the event `sequence` in the event log. As text, a cursor equals the id of that event. */
export type EventCursor = { log: string; sequence: number }

export const formatEventCursor = ({ log, sequence }: EventCursor): string => `${log}-${sequence}`

export function parseEventCursor(text: string): EventCursor | undefined {
  const [, log, sequence] = /^([0-9a-z]{1,16})-(\d{1,15})$/.exec(text) ?? []
  return log === undefined ? undefined : { log, sequence: Number(sequence) }
}

/** Whether the log still has all events after the cursor. */
export const isInLog = (
  { log, sequence }: EventCursor,
  { name, first, last }: Omit<EventLog, 'knownSince'>,
): boolean => log === name && sequence >= first - 1 && sequence <= last

/** The error for a cursor that is not in the log. `pointer` names the cursor in the request. */
export function notInLog(cursor: EventCursor, { name, first, last }: EventLog, pointer = '?after') {
  const oldest = formatEventCursor({ log: name, sequence: first - 1 })
  const text = formatEventCursor(cursor)
  const end = formatEventCursor({ log: name, sequence: last })
  if (cursor.sequence > last && cursor.log === name)
    return invalidValue(pointer, `The log has no event ${text} yet: its last one is ${end}.`)
  return new ServiceError(
    'cursor_expired',
    `The events after ${text} are not known: read the passports again, and continue after ${oldest} or latest.`,
    { members: { oldest_cursor: oldest } },
  )
}
