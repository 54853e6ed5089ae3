import {
  type Change,
  type LogEvent,
  PASSPORT_FIELDS,
  type PassportField,
} from '../../src/core/history/event.ts'
import type { Scores } from '../../src/core/passport/passport.ts'
import type { PassportRecord } from '../../src/core/passport/record.ts'
import type { Store } from '../../src/core/store/store.ts'
import type { Fail } from '../run-scenario.ts'

/**
 * A passport that is built from its events. For a field outside of the score, an event has only its name, so the
 * follower reads the value from the store. Data points and stale flags are not compared, because they have no events.
 * Texts and times of credentials are not compared either, because events have only the old ones (see `as-of`).
 */
type Copy = {
  scores: Scores
  human: boolean
  /** Undefined until the first event that changes the time. */
  calculatedAt?: number
  rules: string
  mergedInto?: number
  credentials: Map<string, number>
  fields: Map<PassportField, unknown>
}

/** Builds a copy of all passports from the event log. New passports must have no scores and credentials. */
export function createEventFollower({ events, records }: Store, fail: Fail) {
  const passports = new Map<number, Copy>()
  let after = 0
  let count = 0
  let time = 0

  function receive(event: LogEvent): void {
    if (event.sequence !== count + 1) fail(`event ${event.sequence} follows ${count}`)
    if (event.time < time) fail(`event ${event.sequence} is older than the one before`)
    count = event.sequence
    time = event.time
    apply(passports, event)
  }

  /** Reads the values of the fields that these events name. A value newer than its event gets another event. */
  async function readFields(page: readonly LogEvent[]): Promise<void> {
    const stored = new Map((await records.list(-1, 100_000)).map((record) => [record.id, record]))
    for (const event of page) {
      if (event.type !== 'passport.added' && event.type !== 'passport.changed') continue
      const [record, copy] = [stored.get(event.passportId), passports.get(event.passportId)]
      if (!record || !copy) continue
      const names = event.type === 'passport.added' ? PASSPORT_FIELDS : event.fields
      for (const name of names) if (name in FIELDS) copy.fields.set(name, FIELDS[name]?.(record))
    }
  }

  /** Returns whether there may be more events. */
  async function readPage(): Promise<boolean> {
    const page = await events.list({ after, limit: 1000 })
    page.events.forEach(receive)
    after = page.end
    if (page.events.length > 0) await readFields(page.events)
    return page.events.length > 0
  }

  async function catchUp(): Promise<void> {
    while (await readPage());
  }

  return {
    catchUp,
    count: () => count,
    /** Follows the log until the given time. */
    async until(end: number): Promise<void> {
      do {
        await catchUp()
        await Bun.sleep(5)
      } while (performance.now() < end)
    },
    copy: () => Object.fromEntries([...passports].map(([id, copy]) => [`passport ${id}`, describe(copy)])),
  }
}

/** `merged_from` is not read, because it follows from the events of the merged passports. */
const FIELDS: Partial<Record<PassportField, (record: PassportRecord) => unknown>> = {
  connections_count: ({ connections }) => connections,
  main_wallet: ({ mainWallet }) => mainWallet,
  verified_wallets: ({ verifiedWallets }) => verifiedWallets,
  'passport_profile.display_name': ({ profile }) => profile.displayName,
  'passport_profile.bio': ({ profile }) => profile.bio,
  'passport_profile.location': ({ profile }) => profile.location,
  'passport_profile.tags': ({ profile }) => profile.tags,
  passport_socials: ({ socials }) => socials,
}

function apply(passports: Map<number, Copy>, event: LogEvent): void {
  if (event.type === 'rules.changed') return
  if (event.type === 'passport.added') {
    const { score: total, human, rules } = event
    const scores = { total, activity: 0, identity: 0, skills: 0 }
    passports.set(event.passportId, { scores, human, rules, credentials: new Map(), fields: new Map() })
    return
  }
  const copy = passports.get(event.passportId)
  if (!copy) throw new Error(`Event ${event.sequence} is about an unknown passport ${event.passportId}.`)
  if (event.type === 'passport.removed') passports.delete(event.passportId)
  if (event.type === 'passport.merged') copy.mergedInto = event.into
  if (event.type === 'passport.unmerged') delete copy.mergedInto
  if (event.type === 'score.changed') applyScore(copy, event)
}

function applyScore(copy: Copy, { sequence, change }: LogEvent & { type: 'score.changed' }): void {
  /** Throws if the old value in the event differs from the known value, because then an event was lost. */
  const next = <T>(name: string, known: T, [before, after]: Change<T> = [known, known]): T => {
    if (before === known) return after
    throw new Error(`Event ${sequence} changes ${name} ${before}, not ${known}.`)
  }
  const { scores } = copy
  copy.scores = {
    total: next('score', scores.total, change.score),
    activity: next('activity', scores.activity, change.activity),
    identity: next('identity', scores.identity, change.identity),
    skills: next('skills', scores.skills, change.skills),
  }
  copy.rules = next('rules', copy.rules, change.rules)
  copy.human = next('human', copy.human, change.human)
  if (change.calculatedAt)
    copy.calculatedAt = next('time', copy.calculatedAt ?? change.calculatedAt[0], change.calculatedAt)
  for (const { type, score } of change.credentials) {
    const after = next<number | null>(type, copy.credentials.get(type) ?? null, score)
    if (after === null) copy.credentials.delete(type)
    else copy.credentials.set(type, after)
  }
}

const NO_SCORES: Scores = { total: 0, activity: 0, identity: 0, skills: 0 }

/** Describes the stored passports in the same format as `copy`. */
export async function projectionOf(store: Store): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const record of await store.records.list(-1, 100_000)) {
    const { id, scores = NO_SCORES, human, calculatedAt, rules = '', mergedInto } = record
    const shown = (mergedInto === undefined ? await store.passports.findWithCredentials({ id }) : record)
      ?.credentials
    texts[`passport ${id}`] = describe({
      scores,
      human,
      rules,
      ...(calculatedAt !== undefined && { calculatedAt }),
      ...(mergedInto !== undefined && { mergedInto }),
      credentials: new Map(shown?.filter((each) => !each.superseded).map(({ type, score }) => [type, score])),
      fields: new Map(
        PASSPORT_FIELDS.filter((name) => name in FIELDS).map((name) => [name, FIELDS[name]?.(record)]),
      ),
    })
  }
  return texts
}

const describe = ({ scores, human, calculatedAt, rules, mergedInto, credentials, fields }: Copy) =>
  JSON.stringify([
    [scores.total, scores.activity, scores.identity, scores.skills],
    [human, calculatedAt, rules, mergedInto],
    [...credentials].sort(),
    PASSPORT_FIELDS.map((name) => fields.get(name)),
  ])
