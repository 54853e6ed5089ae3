import type { EventLog, LogEvent } from '../../history/event.ts'
import type { EventList, EventPage, LaterCursor, LaterEvents } from '../event-store.ts'
import { decode, type EventRow, REMOVED, TOMBSTONE, typeNumber } from './event-encoding.ts'

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

/**
 * SQL for both engines: the columns of the table `events`, `hidden` and more. `index` is the clause that names the index of
 * hidden passports.
 */
export const selectEvents = (index = '', more = ''): string =>
  `select events.*, exists (
     select 1 from passports ${index} where passports.id = events.passport_id and hidden_at is not null
   ) as hidden${more} from events`

export const toEventList = (found: Found, page: EventPage): EventList => ({
  events: toEvents(found),
  end: pageEnd(found, page),
  log: found.log,
})

export const toLaterEvents = (found: Found, passports: readonly LaterCursor[]): LaterEvents => ({
  events: toEvents(found),
  rest: restOf(found.page, passports),
  knownSince: found.log.knownSince,
})

/** A row of `event_rules`, which numbers the rule stamps. Events store only the numbers, because stamps repeat. */
export type StampRow = { id: number; stamp: string }

/** A page of events reads at most this many, because filtered types and tombstones may be many. */
const MOST_SCANNED = 10_000

/** How many events a page may read. Pages of a passport use an index. */
export const mostScanned = ({ passport }: EventPage): number =>
  passport === undefined ? MOST_SCANNED : Number.MAX_SAFE_INTEGER

/** The sequence number of the last event that a page may read. */
export const scanEnd = (page: EventPage, { first, last }: EventLog): number =>
  Math.max(page.after, Math.min(last, Math.max(page.after, first - 1) + mostScanned(page)))

/** Approximate limit of the event data in a page. A page has at least one event. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** `isCut`: the page ended early because it reached `MAX_PAGE_BYTES`. */
export type RowPage = { rows: EventRow[]; isCut: boolean }

/** The sequence number of the last event that a page has read. */
export const pageEnd = ({ page: { rows, isCut }, log }: Found, page: EventPage): number =>
  ((isCut || rows.length === page.limit) && rows.at(-1)?.sequence) || scanEnd(page, log)

/** Approximate limit of the events in a page of `listAfterTime`. */
const MOST_LATER = 5000

/** The limit of events per passport in a page of `listAfterTime`. */
export const mostLater = (passports: readonly LaterCursor[]): number =>
  Math.ceil(MOST_LATER / Math.max(1, passports.length))

/** The passports that may have more events. A page reads one passport after another. */
function restOf({ rows, isCut }: RowPage, passports: readonly LaterCursor[]): LaterCursor[] {
  const most = mostLater(passports)
  const read = Map.groupBy(rows, ({ passport_id }) => passport_id)
  const last = rows.at(-1)?.passport_id
  const complete = isCut ? passports.findIndex(({ passportId }) => passportId === last) : passports.length
  return passports.flatMap(({ passportId, before }, at) => {
    const own = read.get(passportId) ?? []
    return at < complete && own.length < most ? [] : [{ passportId, before: own.at(-1)?.sequence ?? before }]
  })
}

/**
 * SQL for both engines: the next page of a passport has the events before this number. If the event at the cursor is
 * a tombstone, the passport was removed meanwhile. Then the page begins with the newest event again: the removal.
 */
export const beforeCursor = (cursor: string): string =>
  `coalesce((select sequence from events where sequence = ${cursor} and type <> ${TOMBSTONE}), ${Number.MAX_SAFE_INTEGER})`

/** SQL for both engines. Without types, it leaves out tombstones, unless another condition is given. */
export const typeCondition = (types: EventPage['types'], other = ` and type <> ${TOMBSTONE}`) =>
  types ? ` and type in (${types.map(typeNumber).join(', ') || 'null'})` : other

/** Events per page of `listRecent`. A page takes about 8 ms of CPU on SQLite. */
const PAGE = 2000

/**
 * SQL for both engines: the rows of `listRecent`. `oldScore` selects the first number of the second item of a score change. All
 * types are read, so that the limit bounds the work. `events.sequence` has an index; the selected `sequence` has none.
 */
export const selectRecent = (oldScore: string): string =>
  `select cast(sequence as double precision) as sequence, cast(time as double precision) as time,
     cast(passport_id as double precision) as "passportId",
     case when type = ${typeNumber('passport.added')} then 1 else 0 end as "isNew",
     case when type = ${typeNumber('score.changed')} then ${oldScore} end as "oldScore"
   from events where sequence < $1 order by events.sequence desc limit ${PAGE}`
