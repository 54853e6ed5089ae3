import type { EventStore } from '../event-store.ts'
import {
  beforeCursor,
  type EventLogRow,
  type EventRow,
  MAX_PAGE_BYTES,
  mostLater,
  mostScanned,
  PRUNED,
  pageEnd,
  type RowPage,
  restOf,
  type StampRow,
  stampsOf,
  toEventLog,
  toEventRow,
  toLogEvent,
  typeCondition,
} from '../rows/event.ts'
import type { Changes } from '../write/changes.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import type { Query } from './connection/query.ts'
import { preferPrimary } from './connection/replicas.ts'

/**
 * Appends to the event log. Call it at the end of a transaction, before `incrementVersion`: it locks the log until the
 * transaction ends, so that events become visible in the order of their numbers.
 */
export async function appendEvents(query: Query, { events, removed }: Changes, now: number): Promise<void> {
  if (events.length === 0) return
  const stamps = await numberStamps(query, [...new Set(events.flatMap(stampsOf))])
  const rows = events.map((event, index) => ({
    sequence: index + 1,
    ...toEventRow(event, (stamp) => stamps.get(stamp) as number),
  }))
  const [log] = await query<{ before: number }>(
    `with log as (
       update event_log set last = last + $1::bigint, time = greatest(time, $2::bigint),
         known_since = least(known_since, greatest(time, $2::bigint))
       returning last - $1::bigint as before, time
     ), added as (
       insert into events (sequence, passport_id, time, type, data)
       select log.before + sequence, passport_id, log.time, type, data
       from log, json_to_recordset($3::text::json) as rows (sequence bigint, passport_id bigint, type smallint, data text)
     ) select before::float8 as before from log`,
    [events.length, now, JSON.stringify(rows)],
  )
  if (removed.length === 0) return
  await query('delete from events where passport_id = any($1::bigint[]) and sequence <= $2', [
    removed,
    log?.before ?? 0,
  ])
}

/** The numbers of rule stamps; new stamps are added. */
async function numberStamps(query: Query, stamps: readonly string[]): Promise<Map<string, number>> {
  const find = async () => {
    const rows = await query<StampRow>('select id, stamp from event_rules where stamp = any($1::text[])', [
      stamps,
    ])
    return new Map(rows.map(({ id, stamp }) => [stamp, id]))
  }
  const known = await find()
  if (known.size === stamps.length) return known
  await query(
    'insert into event_rules (stamp) select unnest($1::text[]) order by 1 on conflict (stamp) do nothing',
    [stamps.filter((stamp) => !known.has(stamp))],
  )
  return find()
}

/** For a database whose passports are replaced without events: its log begins again. */
export async function restartEventLog(query: Query, now: number): Promise<void> {
  // In this order: the row lock makes other writers wait.
  await query(
    `update event_log set name = substr(md5(random()::text), 1, 6), first = last + 1,
       known_since = greatest(time, $1::bigint)`,
    [now],
  )
  await query('delete from events')
}

/** One statement reads events, the log and its rule stamps: a second one might read another replica. */
const LOG = `json_build_object('name', name, 'first', first, 'last', last, 'known_since', known_since) as log`
const STAMPS = `(select json_agg(event_rules) from event_rules) as stamps`

type Found = {
  log: EventLogRow
  rows: (Omit<EventRow, 'data'> & { data: string | null })[] | null
  stamps: StampRow[] | null
}

/** The columns of an event; `data` is null after the first `MAX_PAGE_BYTES`. */
const boundedBy = (order: string) => `sequence, passport_id, time, type,
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

export function createEvents(read: Query, primary: Pool): EventStore {
  const { query, transaction } = primary
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
    prune: (before) =>
      transaction(async (query) => {
        const [log] = await query<{ end: number }>(
          `with batch as (
             select max(sequence) as last, max(time) as time
             from (select sequence, time from events order by sequence limit ${PRUNED}) as oldest where time < $1::bigint
           )
           update event_log set first = greatest(first, batch.last + 1), known_since = greatest(known_since, batch.time)
           from batch where batch.last is not null returning batch.last::float8 as end`,
          [before],
        )
        if (!log) return 0
        const rows = await query('delete from events where sequence <= $1::bigint returning 1 as one', [
          log.end,
        ])
        return rows.length
      }),
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
