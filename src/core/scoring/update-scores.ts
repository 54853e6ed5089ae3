import { describeError } from '../basics/errors.ts'
import type { Job } from '../basics/jobs.ts'
import type { Log } from '../basics/log.ts'
import type { Store } from '../store/store.ts'
import { adoptRules, keepRescoring, type Rescorer } from './rescore.ts'
import { findRules } from './stamped-rule-set.ts'

const AFTER_FAILURE_MILLISECONDS = 5000

type Options = {
  log: Log
  /** Scoring begins when this promise resolves. */
  mayScore: Promise<void>
  signal: AbortSignal
}

/** Scores stale passports. A run lasts until the signal is aborted, or until it fails. */
export function updateScores(store: Store, { log, mayScore, signal }: Options): Job {
  const onOtherRules = () =>
    log.warn('Nodes of another version use another built-in rule set: only they score passports.')
  let adopted: Rescorer | undefined

  return {
    name: 'Scoring failed',
    interval: AFTER_FAILURE_MILLISECONDS,
    async run(errors) {
      await mayScore
      if (signal.aborted) return
      // Adopts rules once, not again after a failure, because another node may have applied newer rules meanwhile.
      if (!adopted) {
        const onFailure = (id: number, error: unknown) =>
          errors.error(`Scoring failed: passport ${id}: ${describeError(error)}`)
        const scorer = { store, rules: await findRules(store), now: Date.now, onFailure }
        await adoptRules(scorer)
        adopted = scorer
      }
      await keepRescoring(adopted, signal, onOtherRules)
    },
  }
}
