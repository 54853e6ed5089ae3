import type { EventLog } from '../../history/event.ts'
import type { EventPage, EventStore, RecentEvent } from '../event-store.ts'
import * as event from '../rows/event.ts'
import { SECRET, toProvenList } from '../rows/event-proof.ts'
import type { Database } from './connection.ts'
import { selectIds } from './words.ts'

const LOG = `name, first, last, known_since as "knownSince"`

/** Because of `between`, SQLite uses the small index of hidden passports. */
const EVENT = `sequence, passport_id, time, type, data, actor, exists (
    select 1 from passports where id between events.passport_id and events.passport_id and hidden_at is not null
  ) as hidden`

/**
 * Selects the log, and the events that `rows` selects in an order, all of one moment. `bytes` is the size of the data
 * up to and including the event. A page ends with the event that exceeds the limit.
 */
const selectPage = (rows: string, order: string) => `select ${LOG}, page.* from event_log left join (
  select events.*, sum(octet_length(data)) over (order by ${order} rows unbounded preceding) as bytes
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
     where sequence > $1 and ${range} and ${types ? isOf(types) : ofAllTypes} order by sequence limit $2`,
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
   order by sequence desc limit ${event.MOST_LATER}`,
  'sequence desc',
)

/** All types are read, so that the limit bounds the work. */
const RECENT = `select sequence, time, passport_id as "passportId",
    case when type = 'passport.added' then 1 else 0 end as "isNew",
    case when type = 'score.changed' then substr(data, 1, 60) end as data
  from events where sequence < $1 order by sequence desc limit ${event.MOST_RECENT}`

type RecentRow = Omit<RecentEvent, 'oldScore'> & { data: string | null }

type PageRow = EventLog & ((event.EventRow & { bytes: number }) | { sequence: null })

export function createEventReader({ lookup }: Database): Omit<EventStore, 'prune' | 'fold'> {
  function toFound(all: readonly PageRow[]): event.Found {
    const rows = all.filter((row) => row.sequence !== null)
    const isCut = (rows.at(-1)?.bytes ?? 0) > event.MAX_PAGE_BYTES
    const [{ name, first, last, knownSince }] = all as readonly [PageRow]
    return { log: { name, first, last, knownSince }, page: { rows, isCut } }
  }

  async function findPage(page: EventPage, text: string) {
    const { after, limit, passport } = page
    return toFound(await lookup(text, [after, limit, ...(passport === undefined ? [] : [passport])]))
  }

  return {
    async log() {
      const [log] = await lookup<EventLog>(`select ${LOG} from event_log`)
      return log as EventLog
    },
    list: async (page) =>
      event.toEventList(await findPage(page, selectNext(page, "type <> 'tombstone'")), page),
    listProven: async (page) =>
      toProvenList(await findPage(page, selectNext(page, 'true', `, ${SECRET}`)), page),
    listAfterTime: async (passportIds, time, before = Number.MAX_SAFE_INTEGER) =>
      event.toLaterEvents(toFound(await lookup(LATER, [passportIds, time, before]))),
    async listRecent(before) {
      const rows = await lookup<RecentRow>(RECENT, [before])
      return rows.map(({ sequence, time, passportId, isNew, data }) => {
        const oldScore = data === null ? null : event.oldScoreOf(data)
        return { sequence, time, passportId, isNew, oldScore }
      })
    },
    async listLatest(passportId, types, limit) {
      const text = `select ${EVENT} from events where passport_id = $1 and ${isOf(types)}
        order by sequence desc limit $2`
      return event.toEvents(await lookup(text, [passportId, limit]))
    },
  }
}
