import { readFileSync } from 'node:fs'
import { zstdDecompressSync } from 'node:zlib'
import { parseRecord } from '../../core/passport/parse-record.ts'
import { NO_SCORES } from '../../core/passport/passport.ts'
import type { IncomingRecord, PassportRecord } from '../../core/passport/record.ts'
import { adoptRules, rescoreSome } from '../../core/scoring/rescore.ts'
import { score } from '../../core/scoring/score.ts'
import {
  DEFAULT_RULES,
  type Rule,
  type RuleSet,
  stampRules,
  toAppliedRules,
} from '../../core/scoring/stamped-rule-set.ts'
import { RULE_SETS } from '../../core/store/sql/rules.ts'
import type { Store } from '../../core/store/store.ts'
import file from './people.jsonl.zst' with { type: 'file' }

const DAY = 86_400_000

/**
 * The steps of the history, twelve days each; the last days have fractions of steps. Few steps and few people keep the
 * start quick.
 */
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
  const demo = readDemo(begin)
  const recordsAt = (time: number, wanted: number) =>
    demo
      .filter(({ step }) => step === wanted)
      .map(({ record }) =>
        record.kind === 'passport' ? { ...record, passport: toScoredAt(record.passport, time) } : record,
      )
  await store.records.save(recordsAt(begin, 0), { now: begin, restore: false })
  await store.data(RULE_SETS).keep(toAppliedRules(EARLIER_RULES, 'built-in', 0))
  const steps = [...new Set(demo.map(({ step }) => step))].sort((one, other) => one - other)
  for (const step of steps.filter((step) => step > 0 && step <= STEPS)) {
    const time = begin + step * STEP
    const rules = step < RULES_STEP ? EARLIER_RULES : DEFAULT_RULES
    if (step === RULES_STEP) await adoptRules({ store, rules, now: () => time })
    await store.records.save(recordsAt(time, step), { now: time, restore: false })
    // If another process has made another rule set active, nothing is scored here.
    await rescoreSome({ store, rules, now: () => time, onFailure })
  }
  // Afterwards one passport is stale: its score is calculated when the service starts.
  await store.records.save(recordsAt(now, STEPS + 1), { now, restore: false })
}

const toScoredAt = (person: PassportRecord, time: number) =>
  toScored(person, person.id <= LAST_CHANGING_ID ? EARLIER_RULES : DEFAULT_RULES, time)

function onFailure(_id: number, error: unknown): never {
  throw error
}

/** Returns the record with the scores that `rules` give it at the time `now`. */
export function toScored(person: PassportRecord, rules: RuleSet, now: number) {
  const { id, human: givenHuman, credentials: recordCredentials = [], dataPoints = [] } = person
  const recorded = { givenHuman, givenScores: NO_SCORES }
  const { scores, human, credentials } = score({ id, recordCredentials, dataPoints, ...recorded }, rules, now)
  const calculated = { scores, human, credentials, calculatedAt: now, rules: rules.stamp }
  return { ...person, ...calculated, ...recorded, dataPoints, stale: false }
}

/** `"@-120"` is the time 120 days before the begin of the history, and `"@-120 day"` is the date of that day. */
const RELATIVE = /"@(-\d+)( day)?"/g

/**
 * Returns the records of the demo, in the order of the file, with their steps: 0 for people who are there from the
 * begin. The file (238 kB; `zstdcat` shows it) has one record per line, in the format of docs/records.md with relative
 * times. It has a thousand people, and one who was merged into another.
 */
export function readDemo(begin: number): { step: number; record: IncomingRecord }[] {
  const text = zstdDecompressSync(readFileSync(file)).toString()
  const dated = text.replace(RELATIVE, (_, days, isDate) => {
    const time = new Date(begin + Number(days) * DAY).toISOString()
    return JSON.stringify(isDate ? time.slice(0, 10) : time)
  })
  return dated
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { step = 0, ...value } = JSON.parse(line)
      return {
        step,
        record: parseRecord(value, { now: begin, rawKindOf: () => undefined, rescore: false }).record,
      }
    })
}
