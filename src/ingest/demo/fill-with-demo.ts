import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { NO_SCORES } from '../../domain/passport.ts'
import { parseRecord } from '../../domain/record/parse-record.ts'
import type { IncomingRecord, PassportRecord } from '../../domain/record/record.ts'
import { adoptRules, rescoreSome } from '../../scoring/rescore.ts'
import { score } from '../../scoring/score.ts'
import {
  DEFAULT_RULES,
  type Rule,
  type RuleSet,
  stampRules,
  toAppliedRules,
} from '../../scoring/stamped-rule-set.ts'
import type { Store } from '../../store/store.ts'
import file from './people.jsonl.zst' with { type: 'file' }

const DAY = 86_400_000

/** The steps of the history, twelve days each. Few steps and few people keep the start quick. */
const STEP = 12 * DAY
const STEPS = 10
/** The step in which the built-in rule set replaces an earlier one. */
const RULES_STEP = 7
/** People up to this id have a history. */
const LAST_CHANGING_ID = 100

const { stamp: _, levels: __, ...rules } = DEFAULT_RULES
const EARLIER_RULES = stampRules({
  ...rules,
  version: 'demo-earlier',
  types: { ...rules.types, github: { ...(rules.types.github as Rule), multiplier: 0.4 } },
})

/** Fills an empty database with invented people, and the history of some of them. */
export async function fillWithDemo(store: Store, now: number): Promise<void> {
  if ((await store.passports.count()) > 0) return
  const begin = now - STEPS * STEP
  const { people, changes } = readDemo(begin)
  const changesOf = (step: number) =>
    changes.filter((change) => change.step === step).map(({ record }) => record)
  const records = people.map((person) => ({
    kind: 'passport' as const,
    passport: toScored(person, person.id <= LAST_CHANGING_ID ? EARLIER_RULES : DEFAULT_RULES, begin),
  }))
  await store.records.save(records, { now: begin, restore: false })
  await store.rules.keep(toAppliedRules(EARLIER_RULES, 'built-in', 0))
  for (let step = 1; step <= STEPS; step++) {
    const time = begin + step * STEP
    const rules = step < RULES_STEP ? EARLIER_RULES : DEFAULT_RULES
    if (step === RULES_STEP) await adoptRules({ store, rules, now: () => time })
    await store.records.save(changesOf(step), { now: time, restore: false })
    // If another process has made another rule set active, nothing is scored here.
    await rescoreSome({ store, rules, now: () => time, onFailure })
  }
  // Afterwards one passport is stale: its score is calculated when the service starts.
  await store.records.save(changesOf(STEPS + 1), { now, restore: false })
}

function onFailure(_id: number, error: unknown): never {
  throw error
}

/** Returns the record with the scores that `rules` give it at the time `now`. */
export function toScored(person: PassportRecord, rules: RuleSet, now: number) {
  const { id, human: givenHuman, credentials: recordCredentials = [], dataPoints = [] } = person
  const scorable = { id, recordCredentials, dataPoints, givenHuman, scores: NO_SCORES, rules: '' }
  const { scores, human, credentials } = score(scorable, rules, now)
  const calculated = { scores, human, credentials, calculatedAt: now, rules: rules.stamp }
  return { ...person, ...calculated, dataPoints, givenHuman, stale: false }
}

/** `"@-120"` is the time 120 days before the begin of the history, and `"@-120 day"` is the date of that day. */
const RELATIVE = /"@(-\d+)( day)?"/g

/**
 * Returns the invented people of the demo, and their changes with the step of each. The file (238 kB; `zstdcat` shows
 * it) has one record per line, in the format of docs/records.md with relative times. The generator of version 0.2.1
 * wrote it. It has a thousand people, and one who was merged into another.
 */
export function readDemo(begin: number) {
  const people: PassportRecord[] = []
  const changes: { step: number; record: IncomingRecord }[] = []
  const text = zstdDecompressSync(readFileSync(file)).toString()
  const dated = text.replace(RELATIVE, (_, days, isDate) => {
    const time = new Date(begin + Number(days) * DAY).toISOString()
    return JSON.stringify(isDate ? time.slice(0, 10) : time)
  })
  for (const line of dated.trimEnd().split('\n')) {
    const value = JSON.parse(line)
    const { record } = parseRecord(value, { now: begin, rawKindOf: () => undefined, rescore: false })
    if (record.kind === 'passport') people.push(record.passport)
    else changes.push({ step: value.step, record })
  }
  return { people, changes }
}
