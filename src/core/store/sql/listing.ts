import type { EventLog } from '../../history/event.ts'
import { formatEventCursor, isInLog, parseEventCursor } from '../../history/event-cursor.ts'
import { type Connection, findNumber, listColumn } from './connection.ts'
import { selectIds } from './words.ts'

/** `name` is folded (basics/text/fold-name.ts), `facets` has all other facets (lists/facets.ts). */
export type ListingRow = { id: number; score: number; name: string; facets: string }

/** Identifies an event, because after a failover another one can have its number. `null` for a tombstone. */
const eventAt = (sequence: string) => `(
    select time || ' ' || coalesce(passport_id, -1) from events where sequence = ${sequence} and type <> 'tombstone'
  )`

const LOG_END = `event_log.name as log, last, ${eventAt('last')} as event`

type LogEnd = { log: string; last: number; event: string | null }

const cursorOf = ({ log, last, event }: LogEnd): string =>
  `${formatEventCursor({ log, sequence: last })}:${event ?? ''}`

/** `known`: the event at the number $1. */
type LogRow = LogEnd & Pick<EventLog, 'first'> & { known: string | null }

const READ_LOG = `select ${LOG_END}, first, ${eventAt('$1')} as known from event_log`

/** The passports of at most $2 events after $1. Without the inner order, SQLite would scan another index. */
const CHANGES = `select distinct passport_id as id from (
    select passport_id from events where sequence > $1 order by sequence limit $2
  ) as later where passport_id is not null`

const ROWS = 'select passport_id as id, score, name, facets from listing'

/** After more events than this, changes are unknown: to build an index takes less time. */
const MOST_CHANGES = 100_000

export type ListingStore = ReturnType<typeof createListing>

export function createListing({ query }: Connection) {
  return {
    /** A cursor of the end of the event log, and the number of listed passports. */
    async readEnd() {
      const [end] = await query<LogEnd>(`select ${LOG_END} from event_log`)
      const passports = await findNumber(query, 'select count(*) from listing')
      return { cursor: cursorOf(end as LogEnd), passports }
    },
    /** The passports with events after a cursor, up to another one; `undefined` if too many, or if the log lacks it. */
    async readChanges(since: string): Promise<{ cursor: string; ids: number[] } | undefined> {
      const [text = '', event = ''] = since.split(':')
      const cursor = parseEventCursor(text)
      if (!cursor) return undefined
      const [log] = await query<LogRow>(READ_LOG, [cursor.sequence])
      if (!log || !isInLog(cursor, { ...log, name: log.log })) return undefined
      const isReplaced = event !== '' && log.known !== null && event !== log.known
      if (isReplaced || log.last - cursor.sequence > MOST_CHANGES) return undefined
      const end = cursorOf(log)
      if (log.last === cursor.sequence) return { cursor: end, ids: [] }
      // Events after `end` may be among these, and are read again.
      return { cursor: end, ids: await listColumn<number>(query, CHANGES, [cursor.sequence, MOST_CHANGES]) }
    },
    /** Sorted by id. Passports that are not listed are left out. */
    listRows: (ids: readonly number[]) =>
      query<ListingRow>(`${ROWS} where passport_id in (${selectIds('$1')}) order by passport_id`, [ids]),
    /** The listed passports after an id, sorted by id. */
    listAfter: (id: number, limit: number) =>
      query<ListingRow>(`${ROWS} where passport_id > $1 order by passport_id limit $2`, [id, limit]),
  }
}
