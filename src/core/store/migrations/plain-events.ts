import type { Change, EventContent } from '../../history/event.ts'
import { type EventRow, toEventRow } from '../rows/event.ts'
import type { Connection } from '../sql/connection.ts'
import { listTables } from '../sql/tables.ts'

/** An event of the schemas up to SQLite 19 and PostgreSQL 14: `type` is an index of `TYPES`, and `data` is packed. */
type PackedRow = Omit<EventRow, 'type'> & { type: number }

// Frozen: old events have the indexes of these lists.
const TYPES = `tombstone passport.added passport.changed passport.merged passport.unmerged passport.removed
  score.changed rules.changed`.split(/\s+/)
const CAUSES = 'added gone value rules time record merge uncounted capped calculated'.split(' ')
const FIELDS =
  `connections_count main_wallet verified_wallets passport_profile.display_name passport_profile.bio
  passport_profile.location passport_profile.tags passport_socials merged_from image_url main_wallet_changed_at
  nominations_received_count`.split(/\s+/)

const BATCH = 1000

/** Decodes the events of an older schema, and drops their tables. */
export async function unpackEvents(connection: Connection): Promise<void> {
  const { query, selectRows, insertRows } = connection
  if (!(await listTables(connection)).some(({ name }) => name === 'packed_events')) return
  const rules = await query<{ id: number; stamp: string }>('select id, stamp from event_rules')
  const stamps = new Map(rules.map(({ id, stamp }) => [id, stamp]))
  const listAfter = (sequence: number) =>
    selectRows<PackedRow>('packed_events', `where sequence > $1 order by sequence limit ${BATCH}`, [sequence])
  for (let rows = await listAfter(0); rows.length > 0; rows = await listAfter(rows.at(-1)?.sequence ?? 0))
    await insertRows(
      'events',
      rows.map((row) => ({ ...row, ...unpack(row, (number) => stamps.get(number) as string) })),
    )
  await query('drop table packed_events')
  await query('drop table event_rules')
}

type StampOf = (number: number) => string

function unpack({ type, passport_id, data }: PackedRow, stampOf: StampOf) {
  const name = TYPES[type]
  if (name === 'tombstone') return { type: name, data: JSON.stringify({ leaf: data }) }
  const event = { type: name, ...(passport_id !== null && { passportId: passport_id }) }
  return toEventRow({ ...event, ...unpackData(name, data, stampOf) } as EventContent)
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
  fields?: { i?: string; n?: string; c?: string; v?: ''; e?: number | null } | null,
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
  const { i: id, n: name, c: category, v: value, e: earnedAt } = fields ?? {}
  const calculatedAt = time === null ? undefined : base - time
  const old = { name, category, maxScore: maxScore ?? undefined, value, calculatedAt, earnedAt }
  return { type, id, cause: CAUSES[cause], score: [before, after], before: old }
}
