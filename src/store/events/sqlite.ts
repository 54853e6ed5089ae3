import type { Database } from 'bun:sqlite'
import type { EventContent } from '../../domain/v3/event.ts'
import {
  type EventLogRow,
  type EventRow,
  PRUNED,
  pageEnd,
  type StampRow,
  scanEnd,
  stampsOf,
  toEventLog,
  toEventRow,
  toLogEvent,
  typeCondition,
} from '../rows/event.ts'
import type { ReadTransaction } from '../sqlite/read-transaction.ts'
import type { EventPage, EventStore } from '../store.ts'
import type { Changes } from './changes.ts'

/** Appends to the event log, inside the current transaction. */
export function createEventWriter(writer: Database) {
  const advance = writer.query<{ last: number; time: number }, [number, number]>(
    `update event_log set last = last + ?1, time = max(time, ?2), known_since = min(known_since, max(time, ?2))
     returning last, time`,
  )
  const removeAll = writer.query('delete from events where passport_id = ?')
  const insert = writer.query(
    'insert into events (sequence, passport_id, time, type, data) values (?, ?, ?, ?, ?)',
  )
  const findStamp = writer.query<{ id: number }, [string]>('select id from event_rules where stamp = ?')
  const addStamp = writer.query<{ id: number }, [string]>(
    'insert into event_rules (stamp) values (?) returning id',
  )

  /** The numbers of the rule stamps of a batch. */
  function numberStamps(events: readonly EventContent[]): Map<string, number> {
    const stamps = new Set(events.flatMap(stampsOf))
    return new Map(
      [...stamps].map((stamp) => [stamp, (findStamp.get(stamp) ?? addStamp.get(stamp))?.id as number]),
    )
  }

  return {
    append({ events, removed }: Changes, now: number): void {
      const log = events.length > 0 ? advance.get(events.length, now) : null
      if (!log) return
      for (const id of removed) removeAll.run(id)
      const stamps = numberStamps(events)
      for (const [index, event] of events.entries()) {
        const { passport_id, type, data } = toEventRow(event, (stamp) => stamps.get(stamp) as number)
        insert.run(log.last - events.length + 1 + index, passport_id, log.time, type, data)
      }
    },
  }
}

/** For a database whose passports are replaced without events: its log begins again. */
export function restartEventLog(writer: Database, now: number): void {
  writer.run('delete from events')
  writer
    .query(
      'update event_log set name = lower(hex(randomblob(3))), first = last + 1, known_since = max(time, ?)',
    )
    .run(now)
}

export function createEventReader(reader: Database, transaction: ReadTransaction) {
  const findLog = reader.query<EventLogRow, []>('select name, first, last, known_since from event_log')
  const listStamps = reader.query<StampRow, []>('select id, stamp from event_rules')
  const listAfterTime = reader.query<EventRow, [string, number]>(
    `select * from events where passport_id in (select value from json_each(?)) and time > ?
     order by sequence desc`,
  )
  const getLog = () => toEventLog(findLog.get() as EventLogRow)

  function toEvents(rows: readonly EventRow[]) {
    const stamps = new Map(listStamps.all().map(({ id, stamp }) => [id, stamp]))
    return rows.map((row) => toLogEvent(row, stamps))
  }

  function listRows({ after, limit, passport, types }: EventPage, end: number): EventRow[] {
    const owner = passport === undefined ? '' : 'passport_id = $passport and'
    const rows = reader.query<EventRow, Record<string, number>>(
      `select * from events where ${owner} sequence > $after and sequence <= $end${typeCondition(types)}
       order by sequence limit $limit`,
    )
    return rows.all({ after, end, limit, ...(passport !== undefined && { passport }) })
  }

  return {
    log: () => transaction.read(getLog),
    list: (page) =>
      transaction.read(() => {
        const log = getLog()
        const events = toEvents(listRows(page, scanEnd(page, log)))
        return { events, end: pageEnd(events, page, log), log }
      }),
    listAfterTime: (ids, time) =>
      transaction.read(() => ({
        events: toEvents(listAfterTime.all(`[${ids}]`, time)),
        knownSince: getLog().knownSince,
      })),
    listLatest: (passportId, types, limit) =>
      transaction.read(() => {
        const rows = reader.query<EventRow, [number, number]>(
          `select * from events where passport_id = ?${typeCondition(types)} order by sequence desc limit ?`,
        )
        return toEvents(rows.all(passportId, limit))
      }),
  } satisfies Partial<EventStore>
}

export function createEventPruning(writer: Database) {
  const findEnd = writer.query<{ sequence: number | null; time: number }, [number]>(
    `select max(sequence) as sequence, time from (select sequence, time from events order by sequence limit ${PRUNED})
     where time < ?`,
  )
  const remove = writer.query('delete from events where sequence <= ?')
  const move = writer.query('update event_log set first = ? + 1, known_since = max(known_since, ?)')
  const prune = writer.transaction((before: number): number => {
    const end = findEnd.get(before)
    if (!end?.sequence) return 0
    move.run(end.sequence, end.time)
    return remove.run(end.sequence).changes
  })
  return { prune: (before) => prune.immediate(before) } satisfies Partial<EventStore>
}
