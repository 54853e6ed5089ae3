import {
  CAUSES,
  type CredentialChange,
  EVENT_TYPES,
  type EventContent,
  PASSPORT_FIELDS,
  type ScoreChange,
} from '../../../src/core/history/event.ts'
import { type EventRow, toEvent } from '../../../src/core/store/rows/event.ts'

/** Selects the rows for `packEvents`. Numbers are texts: the drivers return 64-bit integers in different forms. */
export const EVENT_ROWS = `select cast(sequence as text) as sequence, cast(passport_id as text) as passport_id,
  cast(time as text) as time, type, data, actor from events`

/** Statements that store the events of a database as the schemas before SQLite 20 and PostgreSQL 15 did. */
export function packEvents(rows: readonly EventRow[]): string[] {
  const stamps: string[] = []
  const numberOf = (stamp: string) => {
    if (!stamps.includes(stamp)) stamps.push(stamp)
    return stamps.indexOf(stamp) + 1
  }
  const values = rows.map((row) => {
    const { sequence, passport_id, time, type, data, actor } = row
    const number = type === 'tombstone' ? 0 : EVENT_TYPES.indexOf(type) + 1
    const packed = type === 'tombstone' ? JSON.parse(data).leaf : pack(toEvent(row), numberOf)
    return `(${sequence}, ${passport_id}, ${time}, ${number}, ${quote(packed)}, ${actor ? quote(actor) : null})`
  })
  return [
    'drop table events',
    `create table events (
      sequence bigint primary key, passport_id bigint, time bigint, type int, data text, actor text
    )`,
    'create index events_by_passport on events (passport_id) where passport_id is not null',
    'create table event_rules (id integer primary key, stamp text)',
    ...(values.length > 0 ? [`insert into events values ${values}`] : []),
    ...stamps.map((stamp, at) => `insert into event_rules values (${at + 1}, ${quote(stamp)})`),
  ]
}

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`

type NumberOf = (stamp: string) => number

function pack(event: EventContent, numberOf: NumberOf): string {
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
      return packScoreChange(event.change, numberOf)
    case 'rules.changed':
      return JSON.stringify(event.rules.map(numberOf))
  }
}

function packScoreChange(change: ScoreChange, numberOf: NumberOf): string {
  const { rules, score, calculatedAt, human, activity, identity, skills, credentials, rest } = change
  const base = calculatedAt?.[0] ?? 0
  const parts = [activity ?? 0, identity ?? 0, skills ?? 0]
  const data = [
    packPair([numberOf(rules[0]), numberOf(rules[1])]),
    packPair(score),
    calculatedAt ? [base, calculatedAt[1] - base] : 0,
    credentials.length > 0 ? credentials.map((credential) => packCredential(credential, base)) : 0,
    human ? (human[1] ? 1 : -1) : 0,
    parts.some((part) => part !== 0) ? parts : 0,
    rest ? CAUSES.indexOf(rest) : 0,
  ]
  return JSON.stringify(data.slice(0, data.findLastIndex((value) => value !== 0) + 1))
}

const packPair = (pair: readonly [number, number]) => (pair[0] === pair[1] ? pair[0] : pair)

function packCredential({ type, id, cause, score, before }: CredentialChange, base: number): unknown[] {
  const { name, category, maxScore, value, earnedAt, calculatedAt } = before
  const fields = { i: id, n: name, c: category, v: value, e: earnedAt }
  const hasFields = Object.values(fields).some((field) => field !== undefined)
  const time = calculatedAt === undefined ? null : base - calculatedAt
  const data = [time, maxScore ?? null, hasFields ? fields : null]
  const end = data.findLastIndex((field) => field !== null) + 1
  return [type, CAUSES.indexOf(cause), ...score, ...data.slice(0, end)]
}
