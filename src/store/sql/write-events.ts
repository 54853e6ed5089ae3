import type { Actor, EventContent } from '../../domain/history/event.ts'
import type { EventCursor } from '../../domain/history/event-cursor.ts'
import { type StampRow, stampsOf, toEventRow } from '../rows/event.ts'
import type { Changes } from '../write/event-tracker.ts'
import type { Connection, Database } from './connection.ts'

/** How many events one transaction deletes. */
const PRUNED = 5000

/**
 * Appends to the event log. On PostgreSQL, it locks the log until the transaction ends, so that events become
 * visible in the order of their numbers. So call it at the end of a transaction, before `increment`.
 */
export async function appendEvents(
  connection: Connection,
  { events, removed }: Changes,
  { now, actor = 'cli' }: { now: number; actor?: Actor | undefined },
): Promise<void> {
  if (events.length === 0) return
  const { query, dialect, insertRows } = connection
  const stamps = await numberStamps(connection, events)
  const [log] = await query<{ before: number; time: number }>(
    `update event_log set last = last + $1, time = ${LATER},
       known_since = case when known_since < ${LATER} then known_since else ${LATER} end
     returning cast(last - $1 as double precision) as before, cast(time as double precision) as time`,
    [events.length, now],
  )
  const { before, time } = log as { before: number; time: number }
  await insertRows(
    'events',
    events.map((event, at) => ({
      sequence: before + 1 + at,
      time,
      actor,
      ...toEventRow(event, (stamp) => stamps.get(stamp) as number),
    })),
  )
  if (removed.length === 0) return
  await query(`delete from events where ${dialect.isIn('passport_id', '$1')} and sequence <= $2`, [
    removed,
    before,
  ])
}

/** The end of the event log, as the transaction sees it. */
export async function findLogEnd({ query }: Connection): Promise<EventCursor> {
  const [end] = await query<EventCursor>(
    'select name as log, cast(last as double precision) as sequence from event_log',
  )
  return end as EventCursor
}

/** Times never decrease. */
const LATER = 'case when time > $2 then time else $2 end'

/** Finds the number of each rule stamp in the events. Adds new stamps to the table. */
async function numberStamps(
  { query, dialect, insertRows }: Connection,
  events: readonly EventContent[],
): Promise<Map<string, number>> {
  const stamps = [...new Set(events.flatMap(stampsOf))].sort()
  const find = async () => {
    const rows = await query<StampRow>(
      `select id, stamp from event_rules where ${dialect.isIn('stamp', '$1', 'text')}`,
      [stamps],
    )
    return new Map(rows.map(({ id, stamp }) => [stamp, id]))
  }
  const known = await find()
  if (known.size === stamps.length) return known
  const added = stamps.filter((stamp) => !known.has(stamp)).map((stamp) => ({ stamp }))
  await insertRows('event_rules', added, 'on conflict (stamp) do nothing')
  return find()
}

/** Begins a new event log, because the passports of the database are replaced without events. */
export async function restartEventLog({ query }: Connection, now: number): Promise<void> {
  const name = crypto.getRandomValues(new Uint8Array(3)).toHex()
  // The update comes first: on PostgreSQL it locks the row, so that other writers wait.
  await query(
    'update event_log set name = $1, first = last + 1, known_since = case when time > $2 then time else $2 end',
    [name, now],
  )
  await query('delete from events')
}

/** Deletes one batch of the events before a time, oldest first. Returns how many it deleted. */
export const pruneEvents = ({ transaction }: Database, before: number): Promise<number> =>
  transaction(async ({ query }) => {
    const [end] = await query<{ last: number | null; time: number }>(
      `select cast(max(sequence) as double precision) as last, cast(max(time) as double precision) as time
       from (select sequence, time from events order by sequence limit ${PRUNED}) as oldest where time < $1`,
      [before],
    )
    if (!end?.last) return 0
    await query(
      `update event_log set first = case when first > $1 then first else $1 + 1 end,
         known_since = case when known_since > $2 then known_since else $2 end`,
      [end.last, end.time],
    )
    return (await query('delete from events where sequence <= $1 returning 1 as one', [end.last])).length
  })
