import type { Database } from 'bun:sqlite'
import type { EventLog } from '../../domain/history/event.ts'
import type { EventPage, EventStore, LaterCursor, RecentEvent } from '../event-store.ts'
import {
  beforeCursor,
  type EventRow,
  MAX_PAGE_BYTES,
  mostLater,
  type RowPage,
  type StampRow,
  scanEnd,
  selectEvents,
  selectRecent,
  toEventList,
  toEvents,
  toLaterEvents,
  typeCondition,
} from '../rows/event.ts'
import type { ReadTransaction } from './connect.ts'

const SELECT = selectEvents('indexed by passports_hidden')

export function createEventReader(reader: Database, transaction: ReadTransaction) {
  const findLog = reader.query<EventLog, []>(
    'select name, first, last, known_since as "knownSince" from event_log',
  )
  const listStamps = reader.query<StampRow, []>('select id, stamp from event_rules')
  const findLater = reader.query<EventRow, [number, number, number]>(
    `${SELECT} where passport_id = ?1 and sequence < ${beforeCursor('?2')}
     order by sequence desc limit ?3`,
  )
  const findRecent = reader.query<RecentEvent, [number]>(selectRecent(`data ->> '$[1][0]'`))
  const getLog = () => findLog.get() as EventLog
  const toFound = (page: RowPage, log = getLog()) => ({ log, stamps: listStamps.all(), page })

  function listRows({ after, limit, passport, types }: EventPage, end: number): RowPage {
    const owner = passport === undefined ? '' : 'passport_id = $passport and'
    const rows = reader.query<EventRow, Record<string, number>>(
      `${SELECT} where ${owner} sequence > $after and sequence <= $end${typeCondition(types)}
       order by sequence limit $limit`,
    )
    return takePage(rows.iterate({ after, end, limit, ...(passport !== undefined && { passport }) }))
  }

  function* iterateLater(passports: readonly LaterCursor[], time: number) {
    const most = mostLater(passports)
    for (const { passportId, before } of passports) {
      for (const row of findLater.iterate(passportId, before, most)) {
        // The remaining events are older, because times never decrease.
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
        return toEventList(toFound(listRows(page, scanEnd(page, log)), log), page)
      }),
    listAfterTime: (passports, time) =>
      transaction.read(() => toLaterEvents(toFound(takePage(iterateLater(passports, time))), passports)),
    listRecent: (before) => transaction.read(() => findRecent.all(before)),
    listLatest: (passportId, types, limit) =>
      transaction.read(() => {
        const rows = reader.query<EventRow, [number, number]>(
          `${SELECT} where passport_id = ?${typeCondition(types)} order by sequence desc limit ?`,
        )
        return toEvents(toFound({ rows: rows.all(passportId, limit), isCut: false }))
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
