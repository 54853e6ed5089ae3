import type { Job } from '../../core/basics/jobs.ts'
import type { Log } from '../../core/basics/log.ts'
import type { Store } from '../../core/store/store.ts'
import { brownoutAt, datePlan, NO_PLAN, type Phase, phaseAt } from './plan.ts'
import { PLAN } from './statements.ts'

/** Logs the start and the end of brownouts, and the removal and the return of V1. */
export function logRetirement(store: Store, { info }: Log): Job {
  let phase: Phase = 'deprecated'

  async function run(): Promise<void> {
    const plan = datePlan((await store.data(PLAN).find()) ?? NO_PLAN, 0)
    const last = phase
    const now = Date.now()
    phase = phaseAt(plan, now)
    if (phase === last) return
    if (last === 'brownout') info('The brownout of V1 ended.')
    if (last === 'removed') info('V1 is no longer removed: it responds again.')
    if (phase === 'brownout') {
      const until = new Date(brownoutAt(plan, now)?.end ?? 0).toISOString()
      info(`A brownout of V1 began: it responds 410 until ${until}.`)
    }
    if (phase === 'removed') info('V1 is removed: it responds 410.')
  }

  return { name: 'The retirement plan cannot be read', interval: 1000, run }
}
