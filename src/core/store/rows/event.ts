import type { EventLog, LogEvent } from '../../history/event.ts'
import type { EventList, EventPage, LaterEvents } from '../event-store.ts'
import { decode, type EventRow, REMOVED } from './event-encoding.ts'

/** The log, all its rule stamps, and a page of events, as they were at the same moment. */
export type Found = { log: EventLog; stamps: readonly StampRow[]; page: RowPage }

export const toEvents = ({ stamps, page }: Omit<Found, 'log'>): LogEvent[] =>
  page.rows.filter(isServed).map(createDecoder(stamps))

export function createDecoder(stamps: readonly StampRow[]): (row: EventRow) => LogEvent {
  const known = new Map(stamps.map(({ id, stamp }) => [id, stamp]))
  return ({ sequence, time, passport_id, type, data, actor }) => {
    const stampOf = (number: number) => {
      const stamp = known.get(number)
      if (stamp === undefined) throw new Error(`Event ${sequence} has an unknown rule set ${number}.`)
      return stamp
    }
    return { sequence, time, ...(actor && { actor }), ...decode(type, passport_id ?? 0, data, stampOf) }
  }
}

/** Events of a hidden passport are not served, except those that say that it is gone. */
export const isServed = ({ hidden, type }: EventRow) => !hidden || type === REMOVED

export const toEventList = (found: Found, page: EventPage): EventList => ({
  events: toEvents(found),
  end: pageEnd(found, page),
  log: found.log,
})

export const toLaterEvents = (found: Found): LaterEvents => ({
  events: toEvents(found),
  before: isFull(found.page, MOST_LATER) ? found.page.rows.at(-1)?.sequence : undefined,
  knownSince: found.log.knownSince,
})

/** A row of `event_rules`, which numbers the rule stamps. Events store only the numbers, because stamps repeat. */
export type StampRow = { id: number; stamp: string }

/** A page of events reads at most this many, because filtered types and tombstones may be many. Pages of a passport use an index. */
export const MOST_SCANNED = 10_000

/** The sequence number of the last event that a page may read. */
export const scanEnd = ({ after, passport }: EventPage, { first, last }: EventLog): number =>
  Math.max(after, passport === undefined ? Math.min(last, Math.max(after, first - 1) + MOST_SCANNED) : last)

/** Approximate limit of the event data in a page. A page has at least one event. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** `isCut`: the page ended early because it reached `MAX_PAGE_BYTES`. */
export type RowPage = { rows: EventRow[]; isCut: boolean }

const isFull = ({ rows, isCut }: RowPage, limit: number) => isCut || rows.length === limit

/** The sequence number of the last event that a page has read. */
export const pageEnd = ({ page: found, log }: Found, page: EventPage): number =>
  (isFull(found, page.limit) && found.rows.at(-1)?.sequence) || scanEnd(page, log)

/** The limit of events in a page of `listAfterTime`. */
export const MOST_LATER = 5000

/** The limit of events in a page of `listRecent`. A page takes about 8 ms of CPU on SQLite. */
export const MOST_RECENT = 2000
