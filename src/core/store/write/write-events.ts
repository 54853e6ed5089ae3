import type { Actor, EventContent, EventType, LogHead } from '../../history/event.ts'
import type { EventCursor } from '../../history/event-cursor.ts'
import { EMPTY_HEAD, leafOfStored, nextHead } from '../../history/hash-chain.ts'
import { defineData } from '../data.ts'
import { type EventRow, type ProofRow, SECRET, toEventRow, toProvenEvent } from '../rows/event.ts'
import { newLogName } from '../schema.ts'
import { type Connection, type Database, upsertRows } from '../sql/connection.ts'
import { selectIds } from '../sql/words.ts'

/** How many events one transaction deletes. */
const PRUNED = 5000

/** Events that are in memory while a head is computed. */
const PAGE = 500

/** Who writes, and when. */
export type Writer = { now: number; actor?: Actor | undefined }

/**
 * Appends to the event log, and turns the earlier events of removed and hidden passports into tombstones. Call it at
 * the end of a transaction: on PostgreSQL it locks the log, so that events become visible in their order.
 */
export async function appendEvents(
  connection: Connection,
  events: readonly EventContent[],
  { now, actor = 'cli' }: Writer,
): Promise<void> {
  if (events.length === 0) return
  const { query, insertRows } = connection
  const [log] = await query<{ before: number; time: number }>(
    `update event_log set last = last + $1, time = ${LATER},
       known_since = case when known_since < ${LATER} then known_since else ${LATER} end
     returning last - $1 as before, time`,
    [events.length, now],
  )
  const { before, time } = log as { before: number; time: number }
  await insertRows(
    'events',
    events.map((event, at) => ({ sequence: before + 1 + at, time, actor, ...toEventRow(event) })),
  )
  const idsOf = (type: EventType) =>
    events.flatMap((event) => (event.type === type && 'passportId' in event ? event.passportId : []))
  await buryEvents(connection, idsOf('passport.removed'), before)
  await insertRows('log_secrets', idsOf('passport.added').map(newSecret), 'on conflict do nothing')
}

export const newSecret = (passport_id: number) => ({
  passport_id,
  secret: crypto.getRandomValues(new Uint8Array(16)).toHex(),
})

/** Turns the events of passports up to a number into tombstones, and deletes the secrets of their salts. */
export async function buryEvents(
  connection: Connection,
  passports: readonly number[],
  end: number,
  rest = '',
) {
  if (passports.length === 0) return
  const isOne = `passport_id in (${selectIds('$1')})`
  for (;;) {
    const events = await listProven(connection, `${isOne} and sequence <= $2${rest}`, [passports, end])
    const rows = events.map((event) => tombstone(event.sequence, leafOfStored(event)))
    await upsertRows(connection, 'events', ['sequence'], rows)
    if (events.length < PAGE) break
  }
  await connection.query(`delete from log_secrets where ${isOne}`, [passports])
}

export const tombstone = (sequence: number, leaf: string): EventRow => ({
  ...{ sequence, passport_id: null, time: 0, actor: null, type: 'tombstone' },
  data: JSON.stringify({ leaf }),
})

/** The first events that fulfil a condition, at most `PAGE`. Their secrets are of the same moment. */
async function listProven({ query }: Connection, condition: string, values: readonly unknown[]) {
  const rows = await query<ProofRow>(
    `select sequence, passport_id, time, type, data, actor, ${SECRET}
     from events where ${condition} order by sequence limit ${PAGE}`,
    values,
  )
  return rows.map(toProvenEvent)
}

type Head = Pick<LogHead, 'head' | 'length'>

/** Adds the next events to a head, up to the number `end`. */
async function addEvents(connection: Connection, { head, length }: Head, end: number): Promise<Head> {
  for (;;) {
    const events = await listProven(connection, 'sequence > $1 and sequence <= $2', [length, end])
    for (const event of events) {
      head = nextHead(head, leafOfStored(event))
      length = event.sequence
    }
    if (events.length < PAGE) return { head, length }
  }
}

async function findHead({ query }: Connection): Promise<LogHead> {
  const [head] = await query<LogHead>(
    'select name, first, last, base, head, head_at as length from event_log',
  )
  return head as LogHead
}

/** Adds at most `limit` events to the stored head, without a lock: it has no effect if another node was faster. */
async function foldEvents({ read, write }: Database, limit: number) {
  const before = await findHead(read)
  const end = Math.min(before.last, before.length + limit)
  const { head, length } = await addEvents(read, before, end)
  const update = 'update event_log set head = $1, head_at = $2 where name = $3 and head_at = $4'
  if (length > before.length) await write(update, [head, length, before.name, before.length])
  return { ...(await findHead(read)), folded: length - before.length }
}

export async function findLogEnd({ query }: Connection): Promise<EventCursor> {
  const [end] = await query<EventCursor>('select name as log, last as sequence from event_log')
  return end as EventCursor
}

const LATER = 'case when time > $2 then time else $2 end'

/** Begins a new event log, because the passports of the database are replaced without events. */
export async function restartEventLog({ query }: Connection, now: number): Promise<void> {
  // The update comes first: on PostgreSQL it locks the row, so that other writers wait.
  await query(
    `update event_log set name = $1, first = last + 1, base = $3, head = $3, head_at = last,
       known_since = case when time > $2 then time else $2 end`,
    [newLogName(), now, EMPTY_HEAD],
  )
  await query('delete from events')
}

/** Deletes a batch of the events before a time, and adds them to the base of the hash chain. Returns their number. */
async function pruneEvents({ read, transaction }: Database, before: number): Promise<number> {
  const { name, first, base } = await findHead(read)
  const [end] = await read.query<{ last: number | null; time: number }>(OLDEST, [before])
  if (!end?.last) return 0
  const { head } = await addEvents(read, { head: base, length: first - 1 }, end.last)
  return transaction(async ({ query }) => {
    const updated = await query(
      `update event_log set first = $1 + 1, base = $3,
         head = case when head_at < $1 then $3 else head end, head_at = case when head_at < $1 then $1 else head_at end,
         known_since = case when known_since > $2 then known_since else $2 end
       where name = $4 and first = $5 returning 1 as one`,
      [end.last, end.time, head, name, first],
    )
    // None if another node was faster.
    if (updated.length === 0) return 0
    return (await query('delete from events where sequence <= $1 returning 1 as one', [end.last])).length
  })
}

/** The last event to delete. Tombstones have no time: they are deleted if a later event is, or as a whole batch. */
const OLDEST = `with oldest as (select sequence, time, type from events order by sequence limit ${PRUNED})
  select max(sequence) as last, max(time) as time from oldest where sequence <= (
    select coalesce(max(case when type <> 'tombstone' and time < $1 then sequence end),
      case when count(*) = ${PRUNED} and max(time) = 0 then max(sequence) end) from oldest
  )`

/** The head of the hash chain. At most one call of each thread waits. */
export const LOG_HEAD = defineData({
  name: 'log-head',
  open: (database: Database) => createEventChanges(database),
  writes: ['fold'],
  isUrgent: true,
})

export const createEventChanges = (database: Database) => ({
  prune: (before: number) => pruneEvents(database, before),
  fold: (limit: number) => foldEvents(database, limit),
})
