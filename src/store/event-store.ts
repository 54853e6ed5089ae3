import type { EventLog, EventType, LogEvent } from '../domain/history/event.ts'
import type { Awaitable } from './awaitable.ts'

export type EventStore = {
  /** Reads one row, never from a replica: followers compare `last` to detect new events. */
  log(): Awaitable<EventLog>
  /** The next events, oldest first: at most `limit`, and about 1 MiB. */
  list(page: EventPage): Awaitable<EventList>
  /** The last events of these passports after a time: a bounded page. `readLater` reads all pages. */
  listAfterTime(passports: readonly LaterCursor[], time: number): Awaitable<LaterEvents>
  /** The latest events of a passport, newest first. */
  listLatest(passportId: number, types: readonly EventType[], limit: number): Awaitable<LogEvent[]>
  /** Deletes the oldest events before a time, one batch per call; returns their number. */
  prune(before: number): Awaitable<number>
}

/** Without `passport` and `types`, all events. */
export type EventPage = {
  /** A sequence number; 0 for the start of the log. */
  after: number
  limit: number
  passport?: number
  types?: readonly EventType[]
}

/** `end` is the number up to which the log was read: the next page begins after it, even if this one is empty. */
export type EventList = { events: LogEvent[]; end: number; log: EventLog }

/** The events of a passport before a sequence number. */
export type LaterCursor = { passportId: number; before: number }

/** Newest first for each passport. `rest` has the passports with more events. Events before `knownSince` are unknown. */
export type LaterEvents = { events: LogEvent[]; rest: LaterCursor[]; knownSince: number }
