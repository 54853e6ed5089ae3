import type { EventStore } from '../event-store.ts'
import {
  beforeCursor,
  type EventLogRow,
  type EventRow,
  MAX_PAGE_BYTES,
  mostLater,
  mostScanned,
  pageEnd,
  type RowPage,
  restOf,
  type StampRow,
  toEventLog,
  toLogEvent,
  typeCondition,
} from '../rows/event.ts'
import type { Query } from '../sql/connection.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { preferPrimary } from './connection/replicas.ts'

/** One statement reads events, the log and its rule stamps: a second one might read another replica. */
const LOG = `json_build_object('name', name, 'first', first, 'last', last, 'known_since', known_since) as log`
const STAMPS = `(select json_agg(event_rules) from event_rules) as stamps`

type Found = {
  log: EventLogRow
  rows: (Omit<EventRow, 'data'> & { data: string | null })[] | null
  stamps: StampRow[] | null
}

/** The columns of an event; `data` is null after the first `MAX_PAGE_BYTES`. */
const boundedBy = (order: string) => `sequence, passport_id, time, type, actor,
  case when coalesce(sum(octet_length(data)) over
    (order by ${order} rows between unbounded preceding and 1 preceding), 0) <= ${MAX_PAGE_BYTES} then data end as data`

/** `offset 0` prevents the planner from reading the whole log backwards. */
const LATER = `select ${LOG}, ${STAMPS}, (select json_agg(found order by at, sequence desc) from (
    select at, ${boundedBy('at, sequence desc')}
    from unnest($1::bigint[], $2::bigint[]) with ordinality as passport (id, before, at), lateral (
      select * from (
        select * from events where passport_id = passport.id and sequence < ${beforeCursor('passport.before')}
          and events.time > $3::bigint offset 0
      ) as later order by sequence desc limit $4::bigint
    ) as events
  ) as found) as rows
  from event_log`

export function createEventReader(read: Query, primary: Pool): Omit<EventStore, 'prune'> {
  const { query } = primary
  /** A replica may not have all events of a passport that another replica has shown. */
  const readCurrent = preferPrimary(primary, read)

  return {
    async log() {
      const [row] = await query<Pick<Found, 'log'>>(`select ${LOG} from event_log`)
      return toEventLog(row?.log as EventLogRow)
    },
    async list(page) {
      const { after, limit, passport, types } = page
      const owner = passport === undefined ? '' : 'passport_id = $4::bigint and'
      const [found] = await read<Found>(
        `select ${LOG}, ${STAMPS},
           (select json_agg(page order by sequence) from (
             select ${boundedBy('sequence')} from (
               select * from events
               where ${owner} sequence > $1::bigint
                 and sequence <= least(last, greatest($1::bigint, first - 1) + $2::bigint)${typeCondition(types)}
               order by sequence limit $3::bigint
             ) as events
           ) as page) as rows
         from event_log`,
        [after, mostScanned(page), limit, ...(passport === undefined ? [] : [passport])],
      )
      const log = toEventLog(found?.log as EventLogRow)
      const rows = toRowPage(found as Found)
      return { events: toEvents(rows, found as Found), end: pageEnd(rows, page, log), log }
    },
    async listAfterTime(passports, time) {
      const [found] = await readCurrent<Found>(LATER, [
        passports.map(({ passportId }) => passportId),
        passports.map(({ before }) => before),
        time,
        mostLater(passports),
      ])
      const rows = toRowPage(found as Found)
      const { knownSince } = toEventLog(found?.log as EventLogRow)
      return { events: toEvents(rows, found as Found), rest: restOf(rows, passports), knownSince }
    },
    async listLatest(passportId, types, limit) {
      const [found] = await read<Found>(
        `select ${LOG}, ${STAMPS}, (select json_agg(found order by sequence desc) from (
           select * from events where passport_id = $1::bigint${typeCondition(types)} order by sequence desc limit $2::bigint
         ) as found) as rows
         from event_log`,
        [passportId, limit],
      )
      return toEvents(toRowPage(found as Found), found as Found)
    },
  }
}

function toRowPage({ rows }: Found): RowPage {
  const all = rows ?? []
  const end = all.findIndex(({ data }) => data === null)
  return { rows: (end === -1 ? all : all.slice(0, end)) as EventRow[], isCut: end !== -1 }
}

function toEvents({ rows }: RowPage, { stamps }: Found) {
  const known = new Map((stamps ?? []).map(({ id, stamp }) => [id, stamp]))
  return rows.map((row) => toLogEvent(row, known))
}
