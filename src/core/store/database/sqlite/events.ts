import type { Database } from 'bun:sqlite'
import type { EventLog } from '../../../history/event.ts'
import type { EventPage, EventStore, LaterCursor, RecentEvent } from '../../event-store.ts'
import * as event from '../../rows/event.ts'
import type { EventRow } from '../../rows/event-encoding.ts'
import { SECRET, toProvenList } from '../../rows/event-proof.ts'
import type { ReadTransaction } from './connect.ts'

const select = (more = '') => event.selectEvents('indexed by passports_hidden', more)

export function createEventReader(reader: Database, transaction: ReadTransaction) {
  const findLog = reader.query<EventLog, []>(
    'select name, first, last, known_since as "knownSince" from event_log',
  )
  const listStamps = reader.query<event.StampRow, []>('select id, stamp from event_rules')
  const findLater = reader.query<EventRow, [number, number, number]>(
    `${select()} where passport_id = ?1 and sequence < ${event.beforeCursor('?2')}
     order by sequence desc limit ?3`,
  )
  const findRecent = reader.query<RecentEvent, [number]>(event.selectRecent(`data ->> '$[1][0]'`))
  const getLog = () => findLog.get() as EventLog
  const toFound = (page: event.RowPage, log = getLog()) => ({ log, stamps: listStamps.all(), page })

  function findPage(page: EventPage, condition: string, columns = '') {
    const { after, limit, passport } = page
    const log = getLog()
    const owner = passport === undefined ? '' : 'passport_id = $passport and'
    const rows = reader.query<EventRow, Record<string, number>>(
      `${select(columns)} where ${owner} sequence > $after and sequence <= $end${condition}
       order by sequence limit $limit`,
    )
    const end = event.scanEnd(page, log)
    const values = { after, end, limit, ...(passport !== undefined && { passport }) }
    return toFound(takePage(rows.iterate(values)), log)
  }

  function* iterateLater(passports: readonly LaterCursor[], time: number) {
    const most = event.mostLater(passports)
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
      transaction.read(() => event.toEventList(findPage(page, event.typeCondition(page.types)), page)),
    listProven: (page) =>
      transaction.read(() =>
        toProvenList(findPage(page, event.typeCondition(page.types, ''), `, ${SECRET}`), page),
      ),
    listAfterTime: (passports, time) =>
      transaction.read(() =>
        event.toLaterEvents(toFound(takePage(iterateLater(passports, time))), passports),
      ),
    listRecent: (before) => transaction.read(() => findRecent.all(before)),
    listLatest: (passportId, types, limit) =>
      transaction.read(() => {
        const rows = reader.query<EventRow, [number, number]>(
          `${select()} where passport_id = ?${event.typeCondition(types)} order by sequence desc limit ?`,
        )
        return event.toEvents(toFound({ rows: rows.all(passportId, limit), isCut: false }))
      }),
  } satisfies Partial<EventStore>
}

function takePage(all: Iterable<EventRow>): event.RowPage {
  const rows: EventRow[] = []
  let bytes = 0
  for (const row of all) {
    if (bytes > event.MAX_PAGE_BYTES) return { rows, isCut: true }
    rows.push(row)
    bytes += row.data.length
  }
  return { rows, isCut: false }
}
