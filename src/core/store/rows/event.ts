import {
  type Actor,
  CAUSES,
  type Change,
  type CredentialChange,
  EVENT_TYPES,
  type EventContent,
  type EventLog,
  type EventType,
  type LogEvent,
  PASSPORT_FIELDS,
  type ScoreChange,
} from '../../history/event.ts'
import type { EventList, EventPage, LaterCursor, LaterEvents } from '../event-store.ts'

export type EventRow = {
  sequence: number
  passport_id: number | null
  time: number
  type: number
  data: string
  actor: Actor | null
  /** Whether the passport is hidden now. */
  hidden?: number | boolean
}

/** The log, all its rule stamps, and a page of events, as they were at the same moment. */
export type Found = { log: EventLog; stamps: readonly StampRow[]; page: RowPage }

export const toEvents = ({ stamps, page }: Omit<Found, 'log'>): LogEvent[] =>
  page.rows.filter(isServed).map(createDecoder(stamps))

export function createDecoder(stamps: readonly StampRow[]): (row: EventRow) => LogEvent {
  const known = new Map(stamps.map(({ id, stamp }) => [id, stamp]))
  return ({ sequence, time, passport_id, type, data, actor }) => {
    const stampOf = (number: number) => {
      const stamp = known.get(number)
      if (stamp === undefined) throw new Error(`Event ${sequence} has an unknown rule set ${number}.`)
      return stamp
    }
    return { sequence, time, ...(actor && { actor }), ...decode(type, passport_id ?? 0, data, stampOf) }
  }
}

/** Events of a hidden passport are not served, except those that say that it is gone. */
export const isServed = ({ hidden, type }: EventRow) => !hidden || type === typeNumber('passport.removed')

/**
 * SQL for both engines: the columns of the table `events`, `hidden` and more. `index` is the clause that names the index of
 * hidden passports.
 */
export const selectEvents = (index = '', more = ''): string =>
  `select events.*, exists (
     select 1 from passports ${index} where passports.id = events.passport_id and hidden_at is not null
   ) as hidden${more} from events`

export const toEventList = (found: Found, page: EventPage): EventList => ({
  events: toEvents(found),
  end: pageEnd(found, page),
  log: found.log,
})

export const toLaterEvents = (found: Found, passports: readonly LaterCursor[]): LaterEvents => ({
  events: toEvents(found),
  rest: restOf(found.page, passports),
  knownSince: found.log.knownSince,
})

/** A row of `event_rules`, which numbers the rule stamps. Events store only the numbers, because stamps repeat. */
export type StampRow = { id: number; stamp: string }

/** A page of events reads at most this many, because filtered types and tombstones may be many. */
const MOST_SCANNED = 10_000

/** How many events a page may read. Pages of a passport use an index. */
export const mostScanned = ({ passport }: EventPage): number =>
  passport === undefined ? MOST_SCANNED : Number.MAX_SAFE_INTEGER

/** The sequence number of the last event that a page may read. */
export const scanEnd = (page: EventPage, { first, last }: EventLog): number =>
  Math.max(page.after, Math.min(last, Math.max(page.after, first - 1) + mostScanned(page)))

/** Approximate limit of the event data in a page. A page has at least one event. */
export const MAX_PAGE_BYTES = 1024 * 1024

/** `isCut`: the page ended early because it reached `MAX_PAGE_BYTES`. */
export type RowPage = { rows: EventRow[]; isCut: boolean }

/** The sequence number of the last event that a page has read. */
export const pageEnd = ({ page: { rows, isCut }, log }: Found, page: EventPage): number =>
  ((isCut || rows.length === page.limit) && rows.at(-1)?.sequence) || scanEnd(page, log)

/** Approximate limit of the events in a page of `listAfterTime`. */
const MOST_LATER = 5000

/** The limit of events per passport in a page of `listAfterTime`. */
export const mostLater = (passports: readonly LaterCursor[]): number =>
  Math.ceil(MOST_LATER / Math.max(1, passports.length))

/** The passports that may have more events. A page reads one passport after another. */
function restOf({ rows, isCut }: RowPage, passports: readonly LaterCursor[]): LaterCursor[] {
  const most = mostLater(passports)
  const read = Map.groupBy(rows, ({ passport_id }) => passport_id)
  const last = rows.at(-1)?.passport_id
  const complete = isCut ? passports.findIndex(({ passportId }) => passportId === last) : passports.length
  return passports.flatMap(({ passportId, before }, at) => {
    const own = read.get(passportId) ?? []
    return at < complete && own.length < most ? [] : [{ passportId, before: own.at(-1)?.sequence ?? before }]
  })
}

/**
 * SQL for both engines: the next page of a passport has the events before this number. If the event at the cursor is
 * a tombstone, the passport was removed meanwhile. Then the page begins with the newest event again: the removal.
 */
export const beforeCursor = (cursor: string): string =>
  `coalesce((select sequence from events where sequence = ${cursor} and type <> ${TOMBSTONE}), ${Number.MAX_SAFE_INTEGER})`

/** SQL for both engines. Without types, it leaves out tombstones, unless another condition is given. */
export const typeCondition = (types: EventPage['types'], other = ` and type <> ${TOMBSTONE}`) =>
  types ? ` and type in (${types.map(typeNumber).join(', ') || 'null'})` : other

/** The type of a tombstone in the database. */
export const TOMBSTONE = 0

const typeNumber = (type: EventType) => EVENT_TYPES.indexOf(type) + 1

/** Events per page of `listRecent`. A page takes about 8 ms of CPU on SQLite. */
const PAGE = 2000

/**
 * SQL for both engines: the rows of `listRecent`. `oldScore` selects the first number of the second item of a score change. All
 * types are read, so that the limit bounds the work. `events.sequence` has an index; the selected `sequence` has none.
 */
export const selectRecent = (oldScore: string): string =>
  `select cast(sequence as double precision) as sequence, cast(time as double precision) as time,
     cast(passport_id as double precision) as "passportId",
     case when type = ${typeNumber('passport.added')} then 1 else 0 end as "isNew",
     case when type = ${typeNumber('score.changed')} then ${oldScore} end as "oldScore"
   from events where sequence < $1 order by events.sequence desc limit ${PAGE}`

/** The rule stamps of an event. */
export function stampsOf(event: EventContent): readonly string[] {
  if (event.type === 'passport.added') return [event.rules]
  if (event.type === 'score.changed') return event.change.rules
  return event.type === 'rules.changed' ? event.rules : []
}

type NumberOf = (stamp: string) => number

export const toEventRow = (
  event: EventContent,
  numberOf: NumberOf,
): Pick<EventRow, 'passport_id' | 'type' | 'data'> => ({
  passport_id: event.type === 'rules.changed' ? null : event.passportId,
  type: typeNumber(event.type),
  data: encode(event, numberOf),
})

function encode(event: EventContent, numberOf: NumberOf): string {
  switch (event.type) {
    case 'passport.added':
      return JSON.stringify([event.score, Number(event.human), numberOf(event.rules)])
    case 'passport.changed':
      return String(event.fields.reduce((bits, field) => bits | (1 << PASSPORT_FIELDS.indexOf(field)), 0))
    case 'passport.merged':
      return String(event.into)
    case 'passport.unmerged':
      return String(event.from)
    case 'passport.removed':
      return ''
    case 'score.changed':
      return encodeScoreChange(event.change, numberOf)
    case 'rules.changed':
      return JSON.stringify(event.rules.map(numberOf))
  }
}

/** The values before and after a change. Equal values are stored once. */
type Pair<T> = T | readonly [T, T]

/** Absent values are 0. Zeros at the end are left out. */
type ScoreData = [
  rules: Pair<number>,
  score: Pair<number>,
  calculatedAt: 0 | Change<number>,
  credentials: 0 | CredentialData[],
  /** 1: changed to true. -1: changed to false. */
  human: number,
  parts: 0 | (0 | Change<number>)[],
]

/** Unchanged values are null, omitted at the end. `time`: the passport's old `calculatedAt` minus the credential's. */
type CredentialData = [
  type: string,
  cause: number,
  before: number | null,
  after: number | null,
  time?: number | null,
  maxScore?: number | null,
  fields?: { i?: string; n?: string; c?: string; v?: ''; e?: number | null } | null,
]

function encodeScoreChange(change: ScoreChange, numberOf: NumberOf): string {
  const { rules, score, calculatedAt, human, activity, identity, skills, credentials } = change
  const base = calculatedAt?.[0] ?? 0
  const parts: (0 | Change<number>)[] = [activity ?? 0, identity ?? 0, skills ?? 0]
  const data: ScoreData = [
    toPair([numberOf(rules[0]), numberOf(rules[1])]),
    toPair(score),
    calculatedAt ? [base, calculatedAt[1] - base] : 0,
    credentials.length > 0 ? credentials.map((each) => toCredentialData(each, base)) : 0,
    human ? (human[1] ? 1 : -1) : 0,
    parts.some((part) => part !== 0) ? parts : 0,
  ]
  return JSON.stringify(data.slice(0, data.findLastIndex((value) => value !== 0) + 1))
}

const toPair = (change: Change<number>): Pair<number> => (change[0] === change[1] ? change[0] : change)

const fromPair = (pair: Pair<number>): Change<number> => (typeof pair === 'number' ? [pair, pair] : pair)

function toCredentialData(
  { type, id, cause, score, before }: CredentialChange,
  base: number,
): CredentialData {
  const { name, category, maxScore, value, earnedAt, calculatedAt } = before
  // JSON.stringify leaves out undefined fields.
  const fields = { i: id, n: name, c: category, v: value, e: earnedAt }
  const hasFields = Object.values(fields).some((field) => field !== undefined)
  const time = calculatedAt === undefined ? null : base - calculatedAt
  const data = [time, maxScore ?? null, hasFields ? fields : null] as const
  const end = data.findLastIndex((value) => value !== null) + 1
  return [type, CAUSES.indexOf(cause), ...score, ...data.slice(0, end)] as CredentialData
}

type StampOf = (number: number) => string

function decode(type: number, passportId: number, data: string, stampOf: StampOf): EventContent {
  const name = EVENT_TYPES[type - 1]
  switch (name) {
    case 'passport.added': {
      const [score, human, rules] = JSON.parse(data)
      return { type: name, passportId, score, human: human === 1, rules: stampOf(rules) }
    }
    case 'passport.changed':
      return { type: name, passportId, fields: PASSPORT_FIELDS.filter((_, bit) => Number(data) & (1 << bit)) }
    case 'passport.merged':
      return { type: name, passportId, into: Number(data) }
    case 'passport.unmerged':
      return { type: name, passportId, from: Number(data) }
    case 'passport.removed':
      return { type: name, passportId }
    case 'score.changed':
      return { type: name, passportId, change: decodeScoreChange(JSON.parse(data), stampOf) }
    case 'rules.changed': {
      const [before, after] = JSON.parse(data)
      return { type: name, rules: [stampOf(before), stampOf(after)] }
    }
    default:
      throw new Error(`The event type ${type} is unknown.`)
  }
}

function decodeScoreChange(data: Partial<ScoreData>, stampOf: StampOf): ScoreChange {
  const [rules = 0, score = 0, calculatedAt = 0, credentials, human = 0, parts] = data
  const [activity, identity, skills] = parts || []
  const [before, after] = fromPair(rules)
  return {
    score: fromPair(score),
    ...(activity && { activity }),
    ...(identity && { identity }),
    ...(skills && { skills }),
    ...(human !== 0 && { human: [human < 0, human > 0] as const }),
    ...(calculatedAt && { calculatedAt: [calculatedAt[0], calculatedAt[0] + calculatedAt[1]] as const }),
    rules: [stampOf(before), stampOf(after)],
    credentials: (credentials || []).map((each) =>
      fromCredentialData(each, calculatedAt ? calculatedAt[0] : 0),
    ),
  }
}

function fromCredentialData(data: CredentialData, base: number): CredentialChange {
  const [type, cause, before, after, time = null, maxScore = null, rest] = data
  const { i, n, c, v, e } = rest ?? {}
  return {
    type,
    ...(i !== undefined && { id: i }),
    cause: CAUSES[cause] ?? 'record',
    score: [before, after],
    before: {
      ...(n !== undefined && { name: n }),
      ...(c !== undefined && { category: c }),
      ...(maxScore !== null && { maxScore }),
      ...(v !== undefined && { value: v }),
      ...(e !== undefined && { earnedAt: e }),
      ...(time !== null && { calculatedAt: base - time }),
    },
  }
}
