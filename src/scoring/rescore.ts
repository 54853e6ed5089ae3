import type { Store } from '../store/store.ts'
import type { RuleSet } from './rules.ts'
import { score } from './score.ts'

/** Passports scored in one transaction: others can write in between. */
const BATCH = 50

export type Rescorer = {
  store: Store
  rules: RuleSet
  now: () => number
  onFailure: (id: number, error: unknown) => void
}

/**
 * Works off some stale passports. Gives back how many: 0 when there are none left, `undefined` where another rule set
 * is in force, whose scorer will do them.
 */
export async function rescoreSome({ store, rules, now, onFailure }: Rescorer): Promise<number | undefined> {
  const time = now()
  return store.scoring.work(BATCH, {
    rules: rules.stamp,
    now: time,
    score: (passport) => score(passport, rules, time),
    onFailure,
  })
}

/** Puts the rule set in force; where another was, every passport becomes stale. */
export async function adoptRules({ store, rules }: Pick<Rescorer, 'store' | 'rules'>): Promise<void> {
  while (!(await store.scoring.adopt(rules.stamp))) await new Promise(setImmediate)
}
