import {
  type Actor,
  CAUSES,
  type Cause,
  type Change,
  type CredentialChange,
  EVENT_TYPES,
  type EventContent,
  type EventType,
  PASSPORT_FIELDS,
  type ScoreChange,
} from '../../history/event.ts'

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

/** The type of a tombstone in the database. */
export const TOMBSTONE = 0

/** The number of a type in the database. */
export const typeNumber = (type: EventType) => EVENT_TYPES.indexOf(type) + 1

/** The type of the event of a removal in the database. */
export const REMOVED = typeNumber('passport.removed')

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
  rest: number,
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
  const { rules, score, calculatedAt, human, activity, identity, skills, credentials, rest } = change
  const base = calculatedAt?.[0] ?? 0
  const parts: (0 | Change<number>)[] = [activity ?? 0, identity ?? 0, skills ?? 0]
  const data: ScoreData = [
    toPair([numberOf(rules[0]), numberOf(rules[1])]),
    toPair(score),
    calculatedAt ? [base, calculatedAt[1] - base] : 0,
    credentials.length > 0 ? credentials.map((each) => toCredentialData(each, base)) : 0,
    human ? (human[1] ? 1 : -1) : 0,
    parts.some((part) => part !== 0) ? parts : 0,
    rest ? CAUSES.indexOf(rest) : 0,
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

export function decode(type: number, passportId: number, data: string, stampOf: StampOf): EventContent {
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

/** The score before a change, if it changed. The beginning of the data suffices. */
export const oldScoreOf = (data: string): number | null => {
  const [, score] = /^\[(?:\d+|\[\d+,\d+\]),\[([^,]+),/.exec(data) ?? []
  return score === undefined ? null : Number(score)
}

function decodeScoreChange(data: Partial<ScoreData>, stampOf: StampOf): ScoreChange {
  const [rules = 0, score = 0, calculatedAt = 0, credentials, human = 0, parts, rest = 0] = data
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
    ...(rest !== 0 && { rest: CAUSES[rest] as Cause }),
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
