import type { EventLog } from '../../history/event.ts'
import { formatEventCursor, isInLog, parseEventCursor } from '../../history/event-cursor.ts'
import type { ListingChanges } from '../store.ts'
import type { Prepare } from './connection.ts'
import { isOneOfFew } from './words.ts'

/**
 * Identifies an event: after a failover that lost transactions, another one can have its number. `null` for a
 * tombstone.
 */
const eventAt = (sequence: string) => `(
    select time || ' ' || coalesce(passport_id, -1) from events where sequence = ${sequence} and type <> 'tombstone'
  )`

/** The end of the event log. */
export const LOG_END = `event_log.name as log, cast(last as double precision) as last, ${eventAt('last')} as event`

export type LogEnd = { log: string; last: number; event: string | null }

/** The cursor of a ranking that includes all events so far. */
export const toRankingCursor = ({ log, last, event }: LogEnd): string =>
  `${formatEventCursor({ log, sequence: last })}:${event ?? ''}`

/** `known`: the event at the number $1. */
type LogRow = LogEnd & Pick<EventLog, 'first'> & { known: string | null }

const READ_LOG = `select ${LOG_END}, cast(first as double precision) as first, ${eventAt('$1')} as known from event_log`

/** `score` is `null` if the passport is not listed. */
type ChangeRow = { id: number; score: number | null; name: string | null }

/**
 * The passports that at most $2 events after the number $1 name. Without the inner order, SQLite would scan another
 * index of the events.
 */
const CHANGES = `select cast(id as double precision) as id, score, name from (
    select distinct passport_id as id from (
      select passport_id from events where sequence > $1 order by sequence limit $2
    ) as later where ${isOneOfFew('passport_id')}
  ) as changed left join listing on passport_id = id`

/**
 * Reads the changes since a cursor. Returns `undefined` after more than `most` events, or if the log does not have the
 * cursor.
 */
export function createChangesReader(prepare: Prepare, most: number) {
  const readLog = prepare<LogRow>(READ_LOG)
  const list = prepare<ChangeRow>(CHANGES)
  return async (since: string): Promise<ListingChanges | undefined> => {
    const [text = '', event = ''] = since.split(':')
    const cursor = parseEventCursor(text)
    if (!cursor) return undefined
    const [log] = await readLog(cursor.sequence)
    if (!log || !isInLog(cursor, { ...log, name: log.log })) return undefined
    const isReplaced = event !== '' && log.known !== null && event !== log.known
    if (isReplaced || log.last - cursor.sequence > most) return undefined
    const end = toRankingCursor(log)
    if (log.last === cursor.sequence) return { cursor: end, listed: [], unlisted: [] }
    // Events after `end` may be among these, and are read again.
    return { cursor: end, ...toChanges(await list(cursor.sequence, most)) }
  }
}

function toChanges(rows: readonly ChangeRow[]): Omit<ListingChanges, 'cursor'> {
  const changes: Omit<ListingChanges, 'cursor'> = { listed: [], unlisted: [] }
  for (const { id, score, name } of rows)
    if (score === null) changes.unlisted.push(id)
    else changes.listed.push({ id, score, name: name ?? '' })
  return changes
}

/** `readChanges` returns `undefined` after more events than this, so that the whole ranking is read. */
export const MOST_CHANGES = 100_000

/** `readRecent` returns `undefined` after more events than this. */
export const MOST_RECENT_CHANGES = 10_000
