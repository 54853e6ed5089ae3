import type { Change, EventContent } from '../../history/event.ts'
import { type EventRow, toEventRow } from '../rows/event.ts'
import { tombstone } from '../write/write-events.ts'

/** `type` is an index of `TYPES`, and `data` is packed. */
export type PackedRow = Omit<EventRow, 'type'> & { type: number }

// Frozen: old events have the indexes of these lists.
const TYPES = `tombstone passport.added passport.changed passport.merged passport.unmerged passport.removed
  score.changed rules.changed`.split(/\s+/)
const CAUSES = 'added gone value rules time record merge uncounted capped calculated'.split(' ')
const FIELDS =
  `connections_count main_wallet verified_wallets passport_profile.display_name passport_profile.bio
  passport_profile.location passport_profile.tags passport_socials merged_from image_url main_wallet_changed_at
  nominations_received_count`.split(/\s+/)

/** Returns the rule stamp with a number of the table `event_rules`. */
export type StampOf = (number: number) => string

/** Converts a row of an older schema. */
export function unpackEvent({ type, passport_id, data, ...row }: PackedRow, stampOf: StampOf): EventRow {
  const name = TYPES[type]
  if (name === 'tombstone') return tombstone(row.sequence, data)
  const event = { type: name, ...(passport_id !== null && { passportId: passport_id }) }
  // Version 0.2.1 had no actors.
  return {
    ...row,
    actor: row.actor ?? null,
    ...toEventRow({ ...event, ...unpackData(name, data, stampOf) } as EventContent),
  }
}

function unpackData(type: string | undefined, data: string, stampOf: StampOf): object {
  const value = data === '' ? null : JSON.parse(data)
  switch (type) {
    case 'passport.added':
      return { score: value[0], human: value[1] === 1, rules: stampOf(value[2]) }
    case 'passport.changed':
      return { fields: FIELDS.filter((_, bit) => value & (1 << bit)) }
    case 'passport.merged':
      return { into: value }
    case 'passport.unmerged':
      return { from: value }
    case 'score.changed':
      return { change: unpackScoreChange(value, stampOf) }
    case 'rules.changed':
      return { rules: value.map(stampOf) }
    default:
      return {}
  }
}

/** Equal values before and after a change. Absent values at the end are left out. */
type Pair = number | Change<number>

type PackedScoreChange = [
  rules: Pair,
  score: Pair,
  /** The second time is a difference to the first. */
  calculatedAt: 0 | Change<number>,
  credentials: 0 | PackedCredential[],
  /** 1: changed to true. -1: changed to false. */
  human: number,
  parts: 0 | (0 | Change<number>)[],
  rest: number,
]

/** `time`: the passport's old `calculatedAt` minus the credential's. */
type PackedCredential = [
  type: string,
  cause: number,
  before: number | null,
  after: number | null,
  time?: number | null,
  maxScore?: number | null,
  fields?: { i?: string; n?: string; c?: string; v?: string; e?: number | null } | null,
]

const unpackPair = (pair: Pair) => (typeof pair === 'number' ? [pair, pair] : pair)

function unpackScoreChange(data: Partial<PackedScoreChange>, stampOf: StampOf): object {
  const [rules = 0, score = 0, calculatedAt, credentials, human = 0, parts, rest = 0] = data
  const [activity, identity, skills] = parts || []
  const [base, duration] = calculatedAt || [0, 0]
  return {
    score: unpackPair(score),
    ...(activity && { activity }),
    ...(identity && { identity }),
    ...(skills && { skills }),
    ...(human !== 0 && { human: [human < 0, human > 0] }),
    ...(calculatedAt && { calculatedAt: [base, base + duration] }),
    rules: unpackPair(rules).map(stampOf),
    credentials: (credentials || []).map((credential) => unpackCredential(credential, base)),
    ...(rest !== 0 && { rest: CAUSES[rest] }),
  }
}

/** JSON leaves out undefined fields. */
function unpackCredential([type, cause, ...data]: PackedCredential, base: number): object {
  const [before, after, time = null, maxScore = null, fields] = data
  const { i: id, n: name, c: category, v, e: earnedAt } = fields ?? {}
  // Events of 0.2.1 had the text of the value. Later ones only say that it has changed.
  const value = v === undefined ? undefined : ''
  const calculatedAt = time === null ? undefined : base - time
  const old = { name, category, maxScore: maxScore ?? undefined, value, calculatedAt, earnedAt }
  return { type, id, cause: CAUSES[cause], score: [before, after], before: old }
}
