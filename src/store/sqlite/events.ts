import type { Database } from 'bun:sqlite'
import type { EventPage, EventStore, LaterCursor } from '../event-store.ts'
import {
  beforeCursor,
  type EventLogRow,
  type EventRow,
  MAX_PAGE_BYTES,
  mostLater,
  pageEnd,
  type RowPage,
  restOf,
  type StampRow,
  scanEnd,
  toEventLog,
  toLogEvent,
  typeCondition,
} from '../rows/event.ts'
import type { ReadTransaction } from './connect.ts'

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
