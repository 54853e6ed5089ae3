import { setTimeout as sleep } from 'node:timers/promises'
import { RULE_SETS } from '../store/sql/rules.ts'
import type { Store } from '../store/store.ts'
import type { AdoptionJob, Scorable } from '../store/write/apply-score.ts'
import { score } from './score.ts'
import { type RuleSet, toAppliedRules, toRuleSet, watchedTypesOf } from './stamped-rule-set.ts'

const IDLE_MILLISECONDS = 250

/** Passports per transaction: other processes can write in between. */
const BATCH = 500

export type Rescorer = {
  store: Store
  rules: RuleSet
  now: () => number
  onFailure: (id: number, error: unknown) => void
}

/** Scores a batch of stale passports. Returns their number, or `undefined` if another rule set is in force. */
export async function rescoreSome(scorer: Rescorer): Promise<number | undefined> {
  return scorer.store.scoring.work(BATCH, { ...toJob(scorer), onFailure: scorer.onFailure })
}

/** Stores the rule set and puts it in force; passports whose score it changes become stale. */
export async function adoptRules(scorer: Adopter): Promise<void> {
  const { store, rules } = scorer
  await store.data(RULE_SETS).keep(toAppliedRules(rules, 'built-in', 0))
  while (!(await store.scoring.adopt(toJob(scorer)))) await new Promise(setImmediate)
}

type Adopter = Pick<Rescorer, 'store' | 'rules'> & Partial<Pick<Rescorer, 'now'>>

const scoringBy = (rules: RuleSet) => ({
  watched: watchedTypesOf(rules),
  score: (passport: Scorable, at: number) => score(passport, rules, at),
})

const toJob = ({ rules, now = Date.now }: Adopter): AdoptionJob => ({
  rules: rules.stamp,
  now: now(),
  ...scoringBy(rules),
  parse: (earlier) => scoringBy(toRuleSet(earlier)),
})

/**
 * Scores stale passports until the signal is aborted, and adopts each rule set that is applied meanwhile. Calls
 * `onSuperseded` if none was applied and the built-in rules of another version are in force: only its nodes score then.
 */
export async function keepRescoring(scorer: Rescorer, signal: AbortSignal, onSuperseded: () => void) {
  let current = scorer
  let isSuperseded = false
  while (!signal.aborted) {
    const count = await rescoreSome(current)
    if (count === undefined) {
      const active = await current.store.data(RULE_SETS).active()
      if (active) current = { ...current, rules: toRuleSet(active) }
      if (active) await adoptRules(current)
      else if (!isSuperseded) onSuperseded()
    }
    isSuperseded = count === undefined
    // An abort ends the pause early.
    if (!count) await sleep(IDLE_MILLISECONDS, undefined, { signal }).catch(() => undefined)
    // SQLite blocks the event loop: signals and messages are processed here.
    else await new Promise(setImmediate)
  }
}
