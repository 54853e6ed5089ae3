import { brownoutAt, datePlan, type Phase, phaseAt, type RetirementPlan } from '../domain/retirement.ts'
import type { Fields, Log } from '../log.ts'

/** Logs changes of the plan, the start and the end of brown-outs, and the removal and the return of V1. */
export function createRetirementLog({ info }: Pick<Log, 'info'>) {
  let known: string | undefined
  let phase: Phase = 'deprecated'
  return (plan: RetirementPlan, now: number): void => {
    const text = JSON.stringify(plan)
    if (known !== undefined && text !== known) info('The retirement plan was changed.', fieldsOf(plan))
    known = text
    const last = phase
    const dated = datePlan(plan, 0)
    phase = phaseAt(dated, now)
    if (phase === last) return
    if (last === 'brownout') info('The brown-out of V1 ended.')
    if (last === 'removed') info('V1 is no longer removed: it responds again.')
    if (phase === 'brownout') {
      const until = new Date(brownoutAt(dated, now)?.end ?? 0).toISOString()
      info(`A brown-out of V1 began: it responds 410 until ${until}.`)
    }
    if (phase === 'removed') info('V1 is removed: it responds 410.')
  }
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
