import type { EventLog } from '../../history/event.ts'
import { formatEventCursor, isInLog, parseEventCursor } from '../../history/event-cursor.ts'
import type { ListingRow, ListingStore } from '../store.ts'
import { type Connection, listColumn } from './connection.ts'
import { selectIds } from './words.ts'

/**
 * Identifies an event: after a failover that lost transactions, another one can have its number. `null` for a
 * tombstone.
 */
const eventAt = (sequence: string) => `(
    select time || ' ' || coalesce(passport_id, -1) from events where sequence = ${sequence} and type <> 'tombstone'
  )`

/** The end of the event log. */
const LOG_END = `event_log.name as log, last, ${eventAt('last')} as event`

type LogEnd = { log: string; last: number; event: string | null }

const cursorOf = ({ log, last, event }: LogEnd): string =>
  `${formatEventCursor({ log, sequence: last })}:${event ?? ''}`

/** `known`: the event at the number $1. */
type LogRow = LogEnd & Pick<EventLog, 'first'> & { known: string | null }

const READ_LOG = `select ${LOG_END}, first, ${eventAt('$1')} as known from event_log`

/**
 * The passports that at most $2 events after the number $1 name. Without the inner order, SQLite would scan another
 * index of the events.
 */
const CHANGES = `select distinct passport_id as id from (
    select passport_id from events where sequence > $1 order by sequence limit $2
  ) as later where passport_id is not null`

const READ_END = `select ${LOG_END}, (select count(*) from listing) as passports from event_log`

const ROWS = 'select passport_id as id, score, name, facets from listing'

/** After more events than this, changes are unknown: to build an index takes less time. */
const MOST_CHANGES = 100_000

/** What the index needs. */
export function createListing({ query }: Connection): ListingStore {
  return {
    async readEnd() {
      const [end] = (await query<LogEnd & { passports: number }>(READ_END)) as [
        LogEnd & { passports: number },
      ]
      return { cursor: cursorOf(end), passports: end.passports }
    },
    async readChanges(since) {
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
    async listRows(ids) {
      if (ids.length === 0) return []
      return query<ListingRow>(`${ROWS} where passport_id in (${selectIds('$1')}) order by passport_id`, [
        ids,
      ])
    },
    listAfter: (id, limit) =>
      query<ListingRow>(`${ROWS} where passport_id > $1 order by passport_id limit $2`, [id, limit]),
  }
}
