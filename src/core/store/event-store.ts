import type { EventLog, EventType, LogEvent, LogHead, ProvenEvent } from '../history/event.ts'

export type EventStore = {
  log(): Promise<EventLog>
  /** The next events, oldest first. A page has at most `limit` events and about 1 MiB of data. */
  list(page: EventPage): Promise<EventList>
  /** Like `list`, with tombstones and salts. */
  listProven(page: EventPage): Promise<EventList<ProvenEvent>>
  /** Adds at most `limit` events to the stored head. Returns the state of the hash chain, and how many events it added. */
  fold(limit: number): Promise<LogHead & { folded: number }>
  /**
   * A page of these passports' events after a time and before a sequence number, newest first. `readLater` reads all
   * pages. The removal of a passport is in each page, because events that were read before it are not valid any more.
   */
  listAfterTime(passportIds: readonly number[], time: number, before?: number): Promise<LaterEvents>
  /** The latest events of a passport, newest first. */
  listLatest(passportId: number, types: readonly EventType[], limit: number): Promise<LogEvent[]>
  /** A page of all events before a sequence number, newest first. It is empty if there are none. */
  listRecent(before: number): Promise<RecentEvent[]>
  /** Deletes one batch of the events before a time, oldest first. Returns how many it deleted. */
  prune(before: number): Promise<number>
}

/** What an event says about a score. A tombstone has the time 0. */
export type RecentEvent = {
  sequence: number
  time: number
  passportId: number | null
  /** Whether the passport was added. */
  isNew: 0 | 1
  /** The score before the event; `null` if the event does not change the score. */
  oldScore: number | null
}

/** `passport` and `types` are filters. */
export type EventPage = {
  /** The sequence number of the last known event, or 0. */
  after: number
  limit: number
  passport?: number
  types?: readonly EventType[]
}

/** `end` is the last sequence number that was read. The next page begins after it, even if this page is empty. */
export type EventList<Event = LogEvent> = { events: Event[]; end: number; log: EventLog }

/**
 * `before` selects the next page; absent after the last one. Events before the time `knownSince` are not in the log.
 */
export type LaterEvents = { events: LogEvent[]; before: number | undefined; knownSince: number }
