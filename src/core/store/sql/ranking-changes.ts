import type { EventLog } from '../../history/event.ts'
import { formatEventCursor, isInLog, parseEventCursor } from '../../history/event-cursor.ts'
import { TOMBSTONE } from '../rows/event-encoding.ts'
import type { ListingChanges } from '../store.ts'
import type { Prepare } from './connection.ts'
import { isOneOfFew } from './words.ts'

/** Identifies an event: after a failover that lost transactions, another one can have its number. `null` for a tombstone. */
const eventAt = (sequence: string) => `(
    select time || ' ' || coalesce(passport_id, -1) from events where sequence = ${sequence} and type <> ${TOMBSTONE}
  )`

/** The end of the event log. */
export const LOG_END = `event_log.name as log, cast(last as double precision) as last, ${eventAt('last')} as event`

export type LogEnd = { log: string; last: number; event: string | null }

/** The cursor of a ranking that includes all events so far. */
export const toRankingCursor = ({ log, last, event }: LogEnd): string =>
  `${formatEventCursor({ log, sequence: last })}:${event ?? ''}`

type ChangeRow = LogEnd &
  Pick<EventLog, 'first'> & {
    /** The event at the cursor. */
    known: string | null
    id: number | null
    /** `null` if the passport is not listed. */
    score: number | null
    name: string | null
  }

/**
 * The passports that at most $2 events after the number $1 name. Without the inner order, SQLite would scan another index of
 * the events.
 */
const CHANGES = `select ${LOG_END}, cast(first as double precision) as first, ${eventAt('$1')} as known,
    cast(id as double precision) as id, score, v1_passports.name as name
  from event_log left join (
    select distinct passport_id as id from (
      select passport_id from events where sequence > $1 order by sequence limit $2
    ) as later where ${isOneOfFew('passport_id')}
  ) as changed on true left join v1_passports on passport_id = id`

/** Reads the changes since a cursor. Returns `undefined` after more than `most` events, or if the log does not have the cursor. */
export function createChangesReader(prepare: Prepare, most: number) {
  const read = prepare<ChangeRow>(CHANGES)
  return async (since: string): Promise<ListingChanges | undefined> => {
    const [text = '', event = ''] = since.split(':')
    const cursor = parseEventCursor(text)
    if (!cursor) return undefined
    const rows = await read(cursor.sequence, most)
    const [end] = rows
    if (!end || !isInLog(cursor, { ...end, name: end.log })) return undefined
    const isOther = event !== (end.known ?? event) && event !== ''
    if (isOther || end.last - cursor.sequence > most) return undefined
    return { cursor: toRankingCursor(end), ...toChanges(rows) }
  }
}

function toChanges(rows: readonly ChangeRow[]): Omit<ListingChanges, 'cursor'> {
  const changes: Omit<ListingChanges, 'cursor'> = { listed: [], unlisted: [] }
  for (const { id, score, name } of rows)
    if (id !== null && score !== null) changes.listed.push({ id, score, name: name ?? '' })
    else if (id !== null) changes.unlisted.push(id)
  return changes
}

/** `readChanges` returns `undefined` after more events than this, so that the whole ranking is read. */
export const MOST_CHANGES = 100_000

/** `readRecent` returns `undefined` after more events than this. */
export const MOST_RECENT_CHANGES = 10_000
