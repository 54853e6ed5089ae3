import type { EventLog, EventType } from '../../history/event.ts'
import * as event from '../rows/event.ts'
import { SECRET, toProvenEvents } from '../rows/event-proof.ts'
import type { Database, Lookup } from './connection.ts'
import { selectIds } from './words.ts'

const LOG = `name, first, last, known_since as "knownSince"`

/** Because of `between`, SQLite uses the small index of hidden passports. */
const EVENT = `sequence, passport_id, time, type, data, actor, exists (
    select 1 from passports where id between events.passport_id and events.passport_id and hidden_at is not null
  ) as hidden`

/**
 * Selects the log, and the events that `rows` selects in an order, all of one moment. `bytes` is the size of the data
 * up to and including the event. A page ends with the event that exceeds the limit.
 */
const selectPage = (rows: string, order: string) => `select ${LOG}, page.* from event_log left join (
  select events.*, sum(octet_length(data)) over (order by ${order} rows unbounded preceding) as bytes
  from (${rows}) as events
) as page on bytes - octet_length(data) <= ${event.MAX_PAGE_BYTES} order by ${order}`

/** $1 is the number before the first event, $2 the limit of events, and $3 the passport, if any. */
function selectNext({ passport, types }: event.EventPage, ofAllTypes: string, more = '') {
  const range =
    passport === undefined
      ? `sequence <= (
          select case when first - 1 > $1 then first - 1 else $1 end + ${event.MOST_SCANNED} from event_log
        )`
      : 'passport_id = $3'
  return selectPage(
    `select ${EVENT}${more} from events
     where sequence > $1 and ${range} and ${types ? isOf(types) : ofAllTypes} order by sequence limit $2`,
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

type PageRow = EventLog & ((event.EventRow & { bytes: number }) | { sequence: null })

export function createEventReader({ lookup }: Database) {
  return {
    async log(): Promise<EventLog> {
      const [log] = await lookup<EventLog>(`select ${LOG} from event_log`)
      return log as EventLog
    },
    /** The next events, oldest first. A page has at most `limit` events and about 1 MiB of data. */
    async list(page: event.EventPage) {
      const { rows, ...rest } = await findPage(lookup, page, selectNext(page, "type <> 'tombstone'"))
      return { ...rest, events: event.toEvents(rows) }
    },
    /** Like `list`, with tombstones and salts. Tombstones belong to no passport and no type, so filters leave them out. */
    async listProven(page: event.EventPage) {
      const { rows, ...rest } = await findPage(lookup, page, selectNext(page, 'true', `, ${SECRET}`))
      const isFiltered = page.passport !== undefined || page.types !== undefined
      const events = toProvenEvents(rows).filter(({ type }) => !isFiltered || type !== 'tombstone')
      return { ...rest, events }
    },
    /**
     * A page of these passports' events after a time and before a sequence number, newest first. `readLater` reads all
     * pages. The removal of a passport is in each page, because events that were read before it are not valid any more.
     */
    async listAfterTime(
      passportIds: readonly number[],
      time: number,
      before = Number.MAX_SAFE_INTEGER,
    ): Promise<event.LaterEvents> {
      const { rows, log, isFull } = await find(lookup, LATER, [passportIds, time, before], event.MOST_LATER)
      const next = isFull ? rows.at(-1)?.sequence : undefined
      return { events: event.toEvents(rows), before: next, knownSince: log.knownSince }
    },
    /** A page of all events before a sequence number, newest first. It is empty if there are none. */
    async listRecent(before: number): Promise<event.RecentEvent[]> {
      const rows = await lookup<RecentRow>(RECENT, [before])
      return rows.map(({ sequence, time, passportId, isNew, data }) => {
        const oldScore = data === null ? null : event.oldScoreOf(data)
        return { sequence, time, passportId, isNew, oldScore }
      })
    },
    /** The latest events of a passport, newest first. */
    async listLatest(passportId: number, types: readonly EventType[], limit: number) {
      const text = `select ${EVENT} from events where passport_id = $1 and ${isOf(types)}
        order by sequence desc limit $2`
      return event.toEvents(await lookup(text, [passportId, limit]))
    },
  }
}

/** The rows, the log of the same moment, and whether there may be more rows. */
async function find(lookup: Lookup, text: string, values: readonly unknown[], limit: number) {
  const found = await lookup<PageRow>(text, values)
  const rows = found.filter((row) => row.sequence !== null)
  const isFull = rows.length === limit || (rows.at(-1)?.bytes ?? 0) > event.MAX_PAGE_BYTES
  const [{ name, first, last, knownSince }] = found as [PageRow]
  return { rows, log: { name, first, last, knownSince }, isFull }
}

/** `end` is the last sequence number that was read. The next page begins after it, even if this page is empty. */
async function findPage(lookup: Lookup, page: event.EventPage, text: string) {
  const { after, limit, passport } = page
  const values = [after, limit, ...(passport === undefined ? [] : [passport])]
  const { rows, log, isFull } = await find(lookup, text, values, limit)
  return { rows, log, end: (isFull && rows.at(-1)?.sequence) || event.scanEnd(page, log) }
}
