import type { Database } from 'bun:sqlite'
import type { EventContent } from '../../domain/history/event.ts'
import type { EventPage, EventStore, LaterCursor } from '../event-store.ts'
import {
  beforeCursor,
  type EventLogRow,
  type EventRow,
  MAX_PAGE_BYTES,
  mostLater,
  PRUNED,
  pageEnd,
  type RowPage,
  restOf,
  type StampRow,
  scanEnd,
  stampsOf,
  toEventLog,
  toEventRow,
  toLogEvent,
  typeCondition,
} from '../rows/event.ts'
import type { Changes } from '../write/changes.ts'
import type { ReadTransaction } from './connection/read-transaction.ts'

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
  const findLater = reader.query<EventRow, [number, number, number]>(
    `select * from events where passport_id = ?1 and sequence < ${beforeCursor('?2')}
     order by sequence desc limit ?3`,
  )
  const getLog = () => toEventLog(findLog.get() as EventLogRow)

  function toEvents(rows: readonly EventRow[]) {
    const stamps = new Map(listStamps.all().map(({ id, stamp }) => [id, stamp]))
    return rows.map((row) => toLogEvent(row, stamps))
  }

  function listRows({ after, limit, passport, types }: EventPage, end: number): RowPage {
    const owner = passport === undefined ? '' : 'passport_id = $passport and'
    const rows = reader.query<EventRow, Record<string, number>>(
      `select * from events where ${owner} sequence > $after and sequence <= $end${typeCondition(types)}
       order by sequence limit $limit`,
    )
    return takePage(rows.iterate({ after, end, limit, ...(passport !== undefined && { passport }) }))
  }

  function* iterateLater(passports: readonly LaterCursor[], time: number) {
    const most = mostLater(passports)
    for (const { passportId, before } of passports) {
      for (const row of findLater.iterate(passportId, before, most)) {
        // Times never decrease: all further events are older.
        if (row.time <= time) break
        yield row
      }
    }
  }

  return {
    log: () => transaction.read(getLog),
    list: (page) =>
      transaction.read(() => {
        const log = getLog()
        const found = listRows(page, scanEnd(page, log))
        return { events: toEvents(found.rows), end: pageEnd(found, page, log), log }
      }),
    listAfterTime: (passports, time) =>
      transaction.read(() => {
        const found = takePage(iterateLater(passports, time))
        const { knownSince } = getLog()
        return { events: toEvents(found.rows), rest: restOf(found, passports), knownSince }
      }),
    listLatest: (passportId, types, limit) =>
      transaction.read(() => {
        const rows = reader.query<EventRow, [number, number]>(
          `select * from events where passport_id = ?${typeCondition(types)} order by sequence desc limit ?`,
        )
        return toEvents(rows.all(passportId, limit))
      }),
  } satisfies Partial<EventStore>
}

function takePage(all: Iterable<EventRow>): RowPage {
  const rows: EventRow[] = []
  let bytes = 0
  for (const row of all) {
    if (bytes > MAX_PAGE_BYTES) return { rows, isCut: true }
    rows.push(row)
    bytes += row.data.length
  }
  return { rows, isCut: false }
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
