import type { EventLog, EventType } from '../../history/event.ts'
import * as event from '../rows/event.ts'
import type { Database, Lookup } from './connection.ts'
import { selectIds } from './words.ts'

const LOG = `name, first, last, known_since as "knownSince"`

const EVENT = 'sequence, passport_id, time, type, data, actor'

/**
 * Selects the log, and the events that `rows` selects in an order, all of one moment. `bytes` is the size of the data
 * up to and including the event. A page ends with the event that exceeds the limit.
 */
const selectPage = (rows: string, order: string) => `select ${LOG}, page.* from event_log left join (
  select events.*, sum(octet_length(data)) over (order by ${order} rows unbounded preceding) as bytes
  from (${rows}) as events
) as page on bytes - octet_length(data) <= ${event.MAX_PAGE_BYTES} order by ${order}`

/** $1 is the number before the first event, $2 the limit of events, and $3 the passport, if any. */
function selectNext({ passport, types }: event.EventPage, isOfOtherTypes: string, columns = EVENT) {
  const isInRange =
    passport === undefined
      ? `sequence <= (
          select case when first - 1 > $1 then first - 1 else $1 end + ${event.MOST_SCANNED} from event_log
        )`
      : 'passport_id = $3'
  return selectPage(
    `select ${columns} from events
     where sequence > $1 and ${isInRange} and ${types ? isOf(types) : isOfOtherTypes} order by sequence limit $2`,
    'sequence',
  )
}

const isOf = (types: readonly EventType[]) =>
  `type in (${types.map((type) => `'${type}'`).join(', ') || 'null'})`

/**
 * The events of the passports $1 after the time $2 and before the number $3. A passport may be removed between two
 * pages, and its events become tombstones: then the next page has the removal, so that the earlier page is not trusted.
 */
const LATER = selectPage(
  `select ${EVENT} from events
   where passport_id in (${selectIds('$1')})
     and time > $2 and (sequence < $3 or type = 'passport.removed' and sequence > $3)
   order by sequence desc limit ${event.MOST_LATER}`,
  'sequence desc',
)

/** All types are read, so that the limit bounds the work. */
const RECENT = `select sequence, time, passport_id as "passportId",
    case when type = 'passport.added' then 1 else 0 end as "isNew",
    case when type = 'score.changed' then substr(data, 1, 60) end as data
  from events where sequence < $1 order by sequence desc limit ${event.MOST_RECENT}`

type RecentRow = Omit<event.RecentEvent, 'oldScore'> & { data: string | null }

type PageRow = EventLog & ((event.ProofRow & { bytes: number }) | { sequence: null })

export function createEventReader({ lookup }: Database) {
  return {
    async log(): Promise<EventLog> {
      const [log] = await lookup<EventLog>(`select ${LOG} from event_log`)
      return log as EventLog
    },
    /** The next events, oldest first. A page has at most `limit` events and about 1 MiB of data. */
    async list(page: event.EventPage) {
      const next = await findNext(lookup, page, selectNext(page, "type <> 'tombstone'"))
      return { ...next, events: next.rows.map(event.toEvent) }
    },
    /** Like `list`, with tombstones and salts. Filters leave tombstones out: they have no passport and no type. */
    async listProven(page: event.EventPage) {
      const next = await findNext(lookup, page, selectNext(page, 'true', `${EVENT}, ${event.SECRET}`))
      return { ...next, events: next.rows.map(event.toProvenEvent) }
    },
    /**
     * A page of these passports' events after a time and before a sequence number, newest first. `readLater` reads all
     * pages. The removal of a passport is in each page, because events that were read before it are not valid any more.
     */
    async listAfterTime(passportIds: readonly number[], time: number, before = Number.MAX_SAFE_INTEGER) {
      const page = await selectEventPage(lookup, LATER, [passportIds, time, before], event.MOST_LATER)
      return { events: page.rows.map(event.toEvent), before: page.end, knownSince: page.log.knownSince }
    },
    /** A page of all events before a sequence number, newest first. It is empty if there are none. */
    async listRecent(before: number): Promise<event.RecentEvent[]> {
      const rows = await lookup<RecentRow>(RECENT, [before])
      return rows.map(({ data, ...row }) => ({
        ...row,
        oldScore: data === null ? null : event.oldScoreOf(data),
      }))
    },
    /** The latest events of a passport, newest first. */
    async listLatest(passportId: number, types: readonly EventType[], limit: number) {
      const latest = `where passport_id = $1 and ${isOf(types)} order by sequence desc limit $2`
      return (await lookup<event.EventRow>(`select ${EVENT} from events ${latest}`, [passportId, limit])).map(
        event.toEvent,
      )
    },
  }
}

/** The rows, the log of the same moment, and the last sequence number if there may be more rows. */
async function selectEventPage(lookup: Lookup, text: string, values: readonly unknown[], limit: number) {
  const all = await lookup<PageRow>(text, values)
  const rows = all.filter((row) => row.sequence !== null)
  const [{ name, first, last, knownSince }] = all as [PageRow]
  const end = rows.at(-1)
  const isFull = rows.length === limit || (end?.bytes ?? 0) > event.MAX_PAGE_BYTES
  return { rows, log: { name, first, last, knownSince }, end: isFull ? end?.sequence : undefined }
}

/** `end` is the last sequence number that was read. The next page begins after it, even if this page is empty. */
async function findNext(lookup: Lookup, page: event.EventPage, text: string) {
  const { after, limit, passport } = page
  const { rows, log, end } = await selectEventPage(
    lookup,
    text,
    [after, limit, passport].filter(isPresent),
    limit,
  )
  return { rows, log, end: end ?? event.scanEnd(page, log) }
}

const isPresent = (value: number | undefined) => value !== undefined
