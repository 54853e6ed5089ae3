import type { EventLog } from '../../../history/event.ts'
import type { EventPage, EventStore } from '../../event-store.ts'
import * as event from '../../rows/event.ts'
import type { EventRow } from '../../rows/event-encoding.ts'
import { SECRET, toProvenList } from '../../rows/event-proof.ts'
import type { Query } from '../../sql/connection.ts'

const LOG = `json_build_object('name', name, 'first', first, 'last', last, 'knownSince', known_since) as log`

type FoundRow = {
  log: EventLog
  rows: (Omit<EventRow, 'data'> & { data: string | null })[] | null
  stamps: event.StampRow[] | null
}

/** Reads events, log and rule stamps in one statement, so that they are of one moment. `rows` is a select of the events as one JSON value. */
async function find(query: Query, rows: string, values: readonly unknown[]): Promise<event.Found> {
  const [found] = await query<FoundRow>(
    `select ${LOG}, (select json_agg(event_rules) from event_rules) as stamps, (${rows}) as rows from event_log`,
    values,
  )
  const { log, stamps, rows: all } = found as FoundRow
  const events = all ?? []
  const end = events.findIndex(({ data }) => data === null)
  const complete = (end === -1 ? events : events.slice(0, end)) as EventRow[]
  return { log, stamps: stamps ?? [], page: { rows: complete, isCut: end !== -1 } }
}

/** The columns of an event. `data` is null for events after the first `MAX_PAGE_BYTES`. */
const boundedBy = (order: string) => `sequence, passport_id, time, type, actor, hidden,
  case when coalesce(sum(octet_length(data)) over
    (order by ${order} rows between unbounded preceding and 1 preceding), 0) <= ${event.MAX_PAGE_BYTES} then data end as data`

/** `offset 0` prevents the planner from reading the whole log backwards. */
const LATER = `select json_agg(found order by at, sequence desc) from (
    select at, ${boundedBy('at, sequence desc')}
    from unnest($1::bigint[], $2::bigint[]) with ordinality as passport (id, before, at), lateral (
      select * from (
        ${event.selectEvents()} where passport_id = passport.id and sequence < ${event.beforeCursor('passport.before')}
          and events.time > $3::bigint offset 0
      ) as later order by sequence desc limit $4::bigint
    ) as events
  ) as found`

function findPage(query: Query, page: EventPage, condition: string, columns = ''): Promise<event.Found> {
  const { after, limit, passport } = page
  const owner = passport === undefined ? '' : 'passport_id = $4::bigint and'
  const rows = `select json_agg(page order by sequence) from (
      select ${boundedBy('sequence')}${columns} from (
        ${event.selectEvents()}
        where ${owner} sequence > $1::bigint
          and sequence <= least(last, greatest($1::bigint, first - 1) + $2::bigint)${condition}
        order by sequence limit $3::bigint
      ) as events
    ) as page`
  const values = [after, event.mostScanned(page), limit, ...(passport === undefined ? [] : [passport])]
  return find(query, rows, values)
}

export function createEventReader(read: Query): Omit<EventStore, 'prune' | 'fold'> {
  return {
    async log() {
      const [row] = await read<{ log: EventLog }>(`select ${LOG} from event_log`)
      return (row as { log: EventLog }).log
    },
    list: async (page) =>
      event.toEventList(await findPage(read, page, event.typeCondition(page.types)), page),
    listProven: async (page) =>
      toProvenList(await findPage(read, page, event.typeCondition(page.types, ''), `, ${SECRET}`), page),
    async listAfterTime(passports, time) {
      const ids = passports.map(({ passportId }) => passportId)
      const before = passports.map((each) => each.before)
      const found = await find(read, LATER, [ids, before, time, event.mostLater(passports)])
      return event.toLaterEvents(found, passports)
    },
    listRecent: (before) => read(event.selectRecent(`(data::json #>> '{1,0}')::double precision`), [before]),
    async listLatest(passportId, types, limit) {
      const rows = `select json_agg(found order by sequence desc) from (
          ${event.selectEvents()} where passport_id = $1::bigint${event.typeCondition(types)} order by sequence desc limit $2::bigint
        ) as found`
      return event.toEvents(await find(read, rows, [passportId, limit]))
    },
  }
}
