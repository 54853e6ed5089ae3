import {
  brownoutAt,
  datePlan,
  NO_PLAN,
  type Phase,
  phaseAt,
  type RetirementPlan,
} from '../../domain/retirement.ts'
import type { Fields, Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import type { Job } from './supervise.ts'

/** Logs changes of the plan, the start and the end of brownouts, and the removal and the return of V1. */
export function logRetirement({ retirement }: Store, { info }: Log): Job {
  let known: string | undefined
  let phase: Phase = 'deprecated'

  async function run(): Promise<void> {
    const plan = (await retirement.find()) ?? NO_PLAN
    const text = JSON.stringify(plan)
    if (known !== undefined && text !== known) info('The retirement plan was changed.', fieldsOf(plan))
    known = text
    const last = phase
    const dated = datePlan(plan, 0)
    const now = Date.now()
    phase = phaseAt(dated, now)
    if (phase === last) return
    if (last === 'brownout') info('The brownout of V1 ended.')
    if (last === 'removed') info('V1 is no longer removed: it responds again.')
    if (phase === 'brownout') {
      const until = new Date(brownoutAt(dated, now)?.end ?? 0).toISOString()
      info(`A brownout of V1 began: it responds 410 until ${until}.`)
    }
    if (phase === 'removed') info('V1 is removed: it responds 410.')
  }

  return { name: 'The retirement plan cannot be read', interval: 1000, run }
}

function fieldsOf(plan: RetirementPlan): Fields {
  const { deprecatedAt, sunsetAt, successor, notice, brownouts, exempt } = plan
  return {
    ...(deprecatedAt !== undefined && { deprecated: new Date(deprecatedAt).toISOString() }),
    sunset: sunsetAt === undefined ? 'none' : new Date(sunsetAt).toISOString(),
    ...(successor !== undefined && { successor }),
    ...(notice !== undefined && { notice }),
    brownouts: brownouts.length,
    exempt: exempt.length,
  }
}
