import type { DataPoint } from '../../domain/data-point.ts'
import type { IncomingRecord, PassportRecord } from '../../domain/record/record.ts'
import { toAppliedRules } from '../../scoring/active-rules.ts'
import { adoptRules, rescoreSome } from '../../scoring/rescore.ts'
import { DEFAULT_RULES, type Rule, type RuleSet, stampRules } from '../../scoring/rules.ts'
import { score } from '../../scoring/score.ts'
import type { Store } from '../../store/store.ts'
import { canGrow, grow } from './data-points.ts'
import { type DemoPerson, inventDemoPeople } from './demo-people.ts'
import { createRandom, type Random } from './random.ts'

/** The steps of the history, twelve days each. Few steps and few people keep the start quick. */
const STEP = 12 * 86_400_000
const STEPS = 10
/** The step in which the built-in rule set replaces an earlier one. */
const RULES_STEP = 7
/** Steps between two changes of a person. */
const ROTATION = 5
/** People up to this id have a history. */
const LAST_CHANGING_ID = 100
/** Data points of a changing person that are added in the course of the history. */
const LATER = 3
/** The person whose score is being calculated when the service starts. */
const RECALCULATED = 42

type Changing = DemoPerson & { later: DataPoint[] }

const { stamp: _, levels: __, ...rules } = DEFAULT_RULES
const EARLIER_RULES = stampRules({
  ...rules,
  version: 'demo-earlier',
  types: { ...rules.types, github: { ...(rules.types.github as Rule), multiplier: 0.4 } },
})

/** Fills an empty database with invented people, and the history of some of them. */
export async function fillWithDemo(store: Store, now: number): Promise<void> {
  const begin = now - STEPS * STEP
  const random = createRandom(STEPS)
  const people = Map.groupBy(inventDemoPeople(begin), hasHistory)
  const changing = (people.get(true) ?? []).map(({ record, dataPoints }) => ({
    record,
    dataPoints: dataPoints.slice(0, -LATER),
    later: dataPoints.slice(-LATER),
  }))
  const records = [
    ...changing.map((person) => toScored(person, EARLIER_RULES, begin)),
    ...(people.get(false) ?? []).map((person) => toScored(person, DEFAULT_RULES, begin)),
  ].map((passport) => ({ kind: 'passport' as const, passport }))
  if (!(await store.records.saveIfEmpty(records, { now: begin, restore: false }))) return
  await store.rules.keep(toAppliedRules(EARLIER_RULES, 'built-in', 0))
  for (let step = 1; step <= STEPS; step++) {
    const time = begin + step * STEP
    const rules = step < RULES_STEP ? EARLIER_RULES : DEFAULT_RULES
    if (step === RULES_STEP) await adoptRules({ store, rules, now: () => time })
    const batch = changing
      .filter(({ record }) => record.id % ROTATION === step % ROTATION)
      .flatMap((person) => change(person, random))
    await store.records.save(batch, { now: time, restore: false })
    // If another process has made another rule set active, nothing is scored here.
    await rescoreSome({ store, rules, now: () => time, onFailure })
  }
  const recalculated = changing.filter(({ record }) => record.id === RECALCULATED)
  const last = recalculated.flatMap((person) => change(person, random))
  await store.records.save(last, { now, restore: false })
}

function onFailure(_id: number, error: unknown): never {
  throw error
}

const hasHistory = ({ record }: DemoPerson): boolean => record.id <= LAST_CHANGING_ID

/** The record after a calculation at this time. */
function toScored({ record, dataPoints }: DemoPerson, rules: RuleSet, now: number): PassportRecord {
  const { id, human: givenHuman, credentials: recordCredentials, scores: before } = record
  const scorable = { id, recordCredentials, dataPoints, givenHuman, scores: before, rules: '' }
  const { scores, human, credentials } = score(scorable, rules, now)
  const calculated = { scores, human, credentials, calculatedAt: now, rules: rules.stamp }
  return { ...record, ...calculated, dataPoints, givenHuman }
}

/** Two values grow, and sometimes one is added. */
function change(person: Changing, random: Random): IncomingRecord[] {
  const values = person.dataPoints.filter(canGrow)
  const grown = random.sample(values, Math.min(2, values.length)).map((point) => grow(point, random))
  const added = random.chance(0.6) ? person.later.splice(0, 1) : []
  const changed = [...grown, ...added]
  const isChanged = ({ type, account }: DataPoint) =>
    changed.some((point) => point.type === type && point.account === account)
  person.dataPoints = [...person.dataPoints.filter((point) => !isChanged(point)), ...changed]
  return changed.map((point) => ({ kind: 'data-point', passport: { id: person.record.id }, point }))
}
