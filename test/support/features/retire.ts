import { readConfig } from '../../../src/core/config/config.ts'
import type { RetirementPlan } from '../../../src/features/retire/plan.ts'
import { createRetirement } from '../../../src/features/retire/serving.ts'
import { createSite } from '../explorer/site.ts'
import { NOON } from '../store/records.ts'

export { datePlan, NO_PLAN, type RetirementPlan } from '../../../src/features/retire/plan.ts'
export { PLAN } from '../../../src/features/retire/statements.ts'

/** Options of a server whose frozen versions follow this plan. */
export function retiredBy(plan: () => RetirementPlan, now?: () => number) {
  const config = { ...readConfig({}, {}), deprecatedAt: Date.UTC(2025, 2, 31) }
  const {
    guard,
    routes = [],
    notice,
  } = createRetirement({ site: createSite().site, now: now ?? (() => NOON), config }, plan)
  return { ...(now && { now }), guards: guard ? [guard] : [], routes, notice }
}
