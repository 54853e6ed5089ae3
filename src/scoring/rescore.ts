import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../store/store.ts'
import type { RuleSet } from './rules.ts'
import { score } from './score.ts'

/** How often a scorer with nothing to do looks for stale passports. */
const IDLE_MILLISECONDS = 250

/** Passports scored in one transaction: others can write in between. */
const BATCH = 500

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

/** Works off whatever becomes stale until it is told to end. `onWaits`: another rule set has come into force. */
export async function keepRescoring(
  scorer: Rescorer,
  signal: AbortSignal,
  onWaits: () => void,
): Promise<void> {
  let waits = false
  while (!signal.aborted) {
    const count = await rescoreSome(scorer)
    if (count === undefined && !waits) onWaits()
    waits = count === undefined
    if (!count) await sleep(IDLE_MILLISECONDS, undefined, { signal }).catch(() => undefined)
    // An embedded engine answers at once: whoever has something to say, and be it to end, is heard here.
    else await new Promise(setImmediate)
  }
}
