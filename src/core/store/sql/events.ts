import type { EventLog } from '../../history/event.ts'
import type { EventPage, EventStore, RecentEvent } from '../event-store.ts'
import * as event from '../rows/event.ts'
import { SECRET, toProvenList } from '../rows/event-proof.ts'
import type { Prepare } from './connection.ts'
import { selectIds } from './words.ts'

const toNumber = (column: string) => `cast(${column} as double precision)`

const LOG = `name, ${toNumber('first')} as first, ${toNumber('last')} as last,
  ${toNumber('known_since')} as "knownSince"`

/** Because of `between`, SQLite uses the small index of hidden passports. */
const EVENT = `${toNumber('sequence')} as sequence, ${toNumber('passport_id')} as passport_id,
  ${toNumber('time')} as time, type, data, actor, exists (
    select 1 from passports where id between events.passport_id and events.passport_id and hidden_at is not null
  ) as hidden`

/**
 * Selects the log, and the events that `rows` selects in an order, all of one moment. `bytes` is the size of the data
 * up to and including the event. A page ends with the event that exceeds the limit.
 */
const selectPage = (rows: string, order: string) => `select ${LOG}, page.* from event_log left join (
  select events.*, ${toNumber(`sum(octet_length(data)) over (order by ${order} rows unbounded preceding)`)} as bytes
  from (${rows}) as events
) as page on bytes - octet_length(data) <= ${event.MAX_PAGE_BYTES} order by ${order}`

/** $1 is the number before the first event, $2 the limit of events, and $3 the passport, if any. */
function selectNext({ passport, types }: EventPage, ofAllTypes: string, more = '') {
  const range =
    passport === undefined
      ? `sequence <= (
          select case when first - 1 > $1 then first - 1 else $1 end + ${event.MOST_SCANNED} from event_log
        )`
      : 'passport_id = $3'
  return selectPage(
    `select ${EVENT}${more} from events
     where sequence > $1 and ${range} and ${types ? isOf(types) : ofAllTypes} order by events.sequence limit $2`,
    'sequence',
  )
}

const isOf = (types: NonNullable<EventPage['types']>) =>
  `type in (${types.map((type) => `'${type}'`).join(', ') || 'null'})`

/**
 * The events of the passports $1 after the time $2 and before the number $3. A passport may be removed between two
 * pages, and its events become tombstones: then the next page has the removal, so that the earlier page is not trusted.
 */
const LATER = selectPage(
  `select ${EVENT} from events
   where passport_id in (${selectIds('$1')})
     and time > $2 and (sequence < $3 or type = 'passport.removed' and sequence > $3)
   order by events.sequence desc limit ${event.MOST_LATER}`,
  'sequence desc',
)

/** All types are read, so that the limit bounds the work. */
const RECENT = `select ${toNumber('sequence')} as sequence, ${toNumber('time')} as time,
    ${toNumber('passport_id')} as "passportId",
    case when type = 'passport.added' then 1 else 0 end as "isNew",
    case when type = 'score.changed' then substr(data, 1, 60) end as data
  from events where sequence < $1 order by events.sequence desc limit ${event.MOST_RECENT}`

type RecentRow = Omit<RecentEvent, 'oldScore'> & { data: string | null }

type PageRow = EventLog & ((event.EventRow & { bytes: number }) | { sequence: null })

export function createEventReader(read: Prepare): Omit<EventStore, 'prune' | 'fold'> {
  const findLog = read<EventLog>(`select ${LOG} from event_log`)
  const findLater = read<PageRow>(LATER)
  const findRecent = read<RecentRow>(RECENT)

  function toFound(all: readonly PageRow[]): event.Found {
    const rows = all.filter((row) => row.sequence !== null)
    const isCut = (rows.at(-1)?.bytes ?? 0) > event.MAX_PAGE_BYTES
    const [{ name, first, last, knownSince }] = all as readonly [PageRow]
    return { log: { name, first, last, knownSince }, page: { rows, isCut } }
  }

  async function findPage(page: EventPage, text: string) {
    const { after, limit, passport } = page
    return toFound(await read<PageRow>(text)(after, limit, ...(passport === undefined ? [] : [passport])))
  }

  return {
    async log() {
      const [log] = await findLog()
      return log as EventLog
    },
    list: async (page) =>
      event.toEventList(await findPage(page, selectNext(page, "type <> 'tombstone'")), page),
    listProven: async (page) =>
      toProvenList(await findPage(page, selectNext(page, 'true', `, ${SECRET}`)), page),
    listAfterTime: async (passportIds, time, before = Number.MAX_SAFE_INTEGER) =>
      event.toLaterEvents(toFound(await findLater(passportIds, time, before))),
    async listRecent(before) {
      const rows = await findRecent(before)
      return rows.map(({ sequence, time, passportId, isNew, data }) => {
        const oldScore = data === null ? null : event.oldScoreOf(data)
        return { sequence, time, passportId, isNew, oldScore }
      })
    },
    async listLatest(passportId, types, limit) {
      const text = `select ${EVENT} from events where passport_id = $1 and ${isOf(types)}
        order by events.sequence desc limit $2`
      return event.toEvents(await read<event.EventRow>(text)(passportId, limit))
    },
  }
}
