import { formatInstant } from './instant.ts'
import type { Brownout, DatedPlan } from './retirement.ts'

/** Why a plan cannot be kept, as a sentence. */
export function findPlanProblem(plan: DatedPlan): string | undefined {
  const { deprecatedAt, sunsetAt, brownouts } = plan
  if (sunsetAt !== undefined && sunsetAt < deprecatedAt) {
    return `The sunset (${formatInstant(sunsetAt)}) must not lie before the deprecation (${formatInstant(deprecatedAt)}).`
  }
  const late = brownouts.find(({ end }) => sunsetAt !== undefined && end > sunsetAt)
  if (late && sunsetAt !== undefined) {
    return `The brown-out of ${span(late)} must end before the sunset (${formatInstant(sunsetAt)}).`
  }
  for (const [at, brownout] of brownouts.entries()) {
    const before = brownouts[at - 1]
    if (before && brownout.start < before.end) {
      return `The brown-outs of ${span(before)} and of ${span(brownout)} overlap.`
    }
  }
  return undefined
}

const span = ({ start, end }: Brownout) => `${formatInstant(start)} to ${formatInstant(end)}`
