import { formatInstant } from '../../core/basics/text/instant.ts'

/** The plan for the end of V1. Times are epoch milliseconds. */
export type RetirementPlan = {
  deprecatedAt?: number | undefined
  sunsetAt?: number
  successor?: string
  /** The URL of the operator's page with details. */
  notice?: string
  /** Sorted by time, without overlap. */
  brownouts: readonly Brownout[]
  exempt: readonly string[]
}

/** A period in which V1 responds with 410. */
export type Brownout = { start: number; end: number }

export const DEFAULT_SUCCESSOR = '/api/v3'

export const NO_PLAN: RetirementPlan = { brownouts: [], exempt: [] }

/** A plan with its final date of deprecation. `undefined` means that V1 is not deprecated. */
export type DatedPlan = RetirementPlan & { deprecatedAt: number | undefined }

/** `deprecatedAt` is used for plans without a date of their own. */
export const datePlan = (plan: RetirementPlan, deprecatedAt: number | undefined): DatedPlan => ({
  ...plan,
  deprecatedAt: plan.deprecatedAt ?? deprecatedAt,
})

export const isRemoved = ({ sunsetAt }: RetirementPlan, now: number): boolean =>
  sunsetAt !== undefined && now >= sunsetAt

export const brownoutAt = ({ brownouts }: RetirementPlan, now: number): Brownout | undefined =>
  brownouts.find(({ start, end }) => start <= now && now < end)

export const brownoutState = ({ start, end }: Brownout, now: number) =>
  end <= now ? 'past' : start <= now ? 'now' : 'to come'

export type Phase = 'supported' | 'announced' | 'deprecated' | 'brownout' | 'removed'

export function phaseAt(plan: DatedPlan, now: number): Phase {
  if (isRemoved(plan, now)) return 'removed'
  if (brownoutAt(plan, now)) return 'brownout'
  if (plan.deprecatedAt === undefined) return 'supported'
  return now < plan.deprecatedAt ? 'announced' : 'deprecated'
}

type PhaseChange = { at: number; to: 'deprecated' | 'brownout' | 'brownout-end' | 'removed' }

export function nextChange(plan: DatedPlan, now: number): PhaseChange | undefined {
  if (isRemoved(plan, now)) return undefined
  const changes: PhaseChange[] = []
  if (plan.deprecatedAt !== undefined) changes.push({ at: plan.deprecatedAt, to: 'deprecated' })
  for (const { start, end } of plan.brownouts) {
    changes.push({ at: start, to: 'brownout' }, { at: end, to: 'brownout-end' })
  }
  if (plan.sunsetAt !== undefined) changes.push({ at: plan.sunsetAt, to: 'removed' })
  return changes.filter(({ at }) => at > now).sort((a, b) => a.at - b.at)[0]
}

/** Returns a sentence if the plan contradicts itself. */
export function findPlanProblem(plan: DatedPlan): string | undefined {
  const { deprecatedAt, sunsetAt, brownouts } = plan
  if (sunsetAt !== undefined && deprecatedAt !== undefined && sunsetAt < deprecatedAt) {
    return `The sunset (${formatInstant(sunsetAt)}) must not lie before the deprecation (${formatInstant(deprecatedAt)}).`
  }
  const late = brownouts.find(({ end }) => sunsetAt !== undefined && end > sunsetAt)
  if (late && sunsetAt !== undefined) {
    return `The brownout of ${span(late)} must end before the sunset (${formatInstant(sunsetAt)}).`
  }
  for (const [at, brownout] of brownouts.entries()) {
    const before = brownouts[at - 1]
    if (before && brownout.start < before.end) {
      return `The brownouts of ${span(before)} and of ${span(brownout)} overlap.`
    }
  }
  return undefined
}

const span = ({ start, end }: Brownout) => `${formatInstant(start)} to ${formatInstant(end)}`
