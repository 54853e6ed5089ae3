import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import { toAppliedRules, toRuleSet } from './active-rules.ts'
import type { RuleSet } from './rules.ts'
import { score } from './score.ts'

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
export async function rescoreSome({ store, rules, now, onFailure }: Rescorer): Promise<number | undefined> {
  const time = now()
  return store.scoring.work(BATCH, {
    rules: rules.stamp,
    now: time,
    score: (passport, at) => score(passport, rules, at),
    onFailure,
  })
}

/** Stores the rule set and puts it in force; passports whose score it changes become stale. */
export async function adoptRules({
  store,
  rules,
  now = Date.now,
}: Pick<Rescorer, 'store' | 'rules'> & Partial<Pick<Rescorer, 'now'>>): Promise<void> {
  await store.rules.keep(toAppliedRules(rules, 'built-in', 0))
  const adopt = () =>
    store.scoring.adopt({
      rules: rules.stamp,
      now: now(),
      score: (passport, at) => score(passport, rules, at),
    })
  while (!(await adopt())) await new Promise(setImmediate)
}

/**
 * Scores stale passports until the signal is aborted, and adopts each rule set that is applied meanwhile. `onSuperseded`: another
 * rule set is in force, and none is applied, so that a node with another built-in rule set scores.
 */
export async function keepRescoring(
  scorer: Rescorer,
  signal: AbortSignal,
  onSuperseded: () => void,
): Promise<void> {
  let current = scorer
  let isSuperseded = false
  while (!signal.aborted) {
    const count = await rescoreSome(current)
    if (count === undefined) {
      const active = await current.store.rules.active()
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
