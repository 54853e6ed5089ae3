import { type Awaitable, then } from '../../basics/awaitable.ts'
import type { EventLog } from '../../history/event.ts'
import { formatEventCursor, isInLog, parseEventCursor } from '../../history/event-cursor.ts'
import type { ListingChanges } from '../store.ts'
import type { Prepare } from './connection.ts'
import { isOneOfFew } from './words.ts'

/** The end of the event log. As the cursor of a ranking, it says that the ranking includes all events so far. */
export const LOG_END = `name as log, cast(last as double precision) as sequence`

type ChangeRow = Omit<EventLog, 'knownSince'> & {
  id: number | null
  /** `null` if the passport is not listed. */
  score: number | null
  folded: string | null
}

/**
 * The passports that at most $2 events after the number $1 name. Without the inner order, SQLite would scan another index of
 * the events.
 */
const CHANGES = `select event_log.name, cast(first as double precision) as first, cast(last as double precision) as last,
    cast(id as double precision) as id, score, v1_passports.name as folded
  from event_log left join (
    select distinct passport_id as id from (
      select passport_id from events where sequence > $1 order by sequence limit $2
    ) as later where ${isOneOfFew('passport_id')}
  ) as changed on true left join v1_passports on passport_id = id`

/** Reads the changes since a cursor. Returns `undefined` after more than `most` events, or if the log does not have the cursor. */
export function createChangesReader(prepare: Prepare, most: number) {
  const read = prepare<ChangeRow>(CHANGES)
  return (since: string): Awaitable<ListingChanges | undefined> => {
    const cursor = parseEventCursor(since)
    if (!cursor) return undefined
    return then(read(cursor.sequence, most), (rows) => {
      const [log] = rows
      if (!log || !isInLog(cursor, log) || log.last - cursor.sequence > most) return undefined
      return { cursor: formatEventCursor({ log: log.name, sequence: log.last }), ...toChanges(rows) }
    })
  }
}

function toChanges(rows: readonly ChangeRow[]): Omit<ListingChanges, 'cursor'> {
  const changes: Omit<ListingChanges, 'cursor'> = { listed: [], unlisted: [] }
  for (const { id, score, folded } of rows)
    if (id !== null && score !== null) changes.listed.push({ id, score, name: folded ?? '' })
    else if (id !== null) changes.unlisted.push(id)
  return changes
}

/** `readChanges` returns `undefined` after more events than this, so that the whole ranking is read. */
export const MOST_CHANGES = 100_000

/** `readRecent` returns `undefined` after more events than this. */
export const MOST_RECENT_CHANGES = 10_000
