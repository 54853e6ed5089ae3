import type {
  Actor,
  EventContent,
  EventLog,
  EventType,
  LogEvent,
  ProvenEvent,
  Tombstone,
} from '../../history/event.ts'
import { saltOf } from '../../history/hash-chain.ts'

/** What an event says about a score. A tombstone has the time 0. */
export type RecentEvent = {
  sequence: number
  time: number
  passportId: number | null
  /** Whether the passport was added. */
  isNew: 0 | 1
  /** The score before the event; `null` if the event does not change the score. */
  oldScore: number | null
}

/** `passport` and `types` are filters. */
export type EventPage = {
  /** The sequence number of the last known event, or 0. */
  after: number
  limit: number
  passport?: number
  types?: readonly EventType[]
}

/** `data` is the JSON of the fields that have no column. A tombstone has no passport. */
export type EventRow = {
  sequence: number
  passport_id: number | null
  time: number
  type: EventType | Tombstone['type']
  data: string
  actor: Actor | null
}

export const toEventRow = ({ type, passportId, ...data }: EventContent & { passportId?: number }) => ({
  passport_id: passportId ?? null,
  type,
  data: JSON.stringify(data),
})

/** The row must not be a tombstone. */
export const toEvent = ({ sequence, time, passport_id, type, data, actor }: EventRow): LogEvent => ({
  sequence,
  time,
  type,
  ...(actor && { actor }),
  ...(passport_id !== null && { passportId: passport_id }),
  ...JSON.parse(data),
})

/** A row of an event and the secret of its passport. */
export type ProofRow = EventRow & { secret?: string | null }

/** Selects the secret together with the event, because a removal deletes the secret. */
export const SECRET =
  '(select secret from log_secrets where log_secrets.passport_id = events.passport_id) as secret'

export function toProvenEvent({ secret, ...row }: ProofRow): ProvenEvent {
  const { sequence, type, data } = row
  if (type === 'tombstone') return { type, sequence, ...JSON.parse(data) }
  // A removal has no salt: a passport that is added again has another secret, which must not change the leaf.
  const salt = type === 'passport.removed' || !secret ? '' : saltOf(secret, sequence)
  return { ...toEvent(row), salt }
}

/** The score before an event, if the event changes it. The beginning of the data suffices. */
export function oldScoreOf(data: string): number | null {
  const [, before, after] = /^\{"change":\{"score":\[([^,]+),([^\]]+)\]/.exec(data) ?? []
  return before === undefined || before === after ? null : Number(before)
}

/** A page of events reads at most this many, because filtered types and tombstones may be many. */
export const MOST_SCANNED = 10_000

/** The last event that a page may read. Pages of a passport use an index. */
export const scanEnd = ({ after, passport }: EventPage, { first, last }: EventLog): number =>
  Math.max(after, passport === undefined ? Math.min(last, Math.max(after, first - 1) + MOST_SCANNED) : last)

/** Approximate limit of the event data in a page. A page has at least one event. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** The limit of events in a page of `listAfterTime`. */
export const MOST_LATER = 5000

/** The limit of events in a page of `listRecent`. A page takes about 8 ms of CPU on SQLite. */
export const MOST_RECENT = 2000
