import type { AppliedRules, Store } from '../store/store.ts'
import { DEFAULT_RULES, type RuleSet } from './rules.ts'

/** Stored rule sets were validated when they were applied. */
export const toRuleSet = ({ body, stamp }: AppliedRules): RuleSet => ({ ...JSON.parse(body), stamp })

export function toAppliedRules(rules: RuleSet, source: AppliedRules['source'], now: number): AppliedRules {
  const { stamp, ...shape } = rules
  return { stamp, body: JSON.stringify(shape), appliedAt: now, source }
}

/** The active rule set of the database; `initial` if none was ever applied. */
export async function findRules({ rules }: Store, initial = DEFAULT_RULES): Promise<RuleSet> {
  const active = await rules.active()
  return active ? toRuleSet(active) : initial
}
