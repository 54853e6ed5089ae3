import type { AppliedRules } from '../store.ts'

export type RuleSetRow = { stamp: string; body: string; applied_at: number; source: AppliedRules['source'] }

export const toAppliedRules = ({ applied_at, ...row }: RuleSetRow): AppliedRules => ({
  ...row,
  appliedAt: applied_at,
})

export const toRuleSetRow = ({ appliedAt, ...rules }: AppliedRules): RuleSetRow => ({
  ...rules,
  applied_at: appliedAt,
})

/** SQL on either engine: the active rule set. */
export const ACTIVE_RULES = `where stamp = (select value from settings where name = 'active_rules')`

/** SQL on either engine: all rule sets, the last applied one first. */
export const ALL_RULES = 'order by applied_at desc, stamp'

/** SQL on either engine: the time of a new rule set, later than all others. */
export const NEXT_APPLIED_AT = 'select max(applied_at) + 1 as time from rule_sets where applied_at >='

/** SQL on either engine: the rule set that was applied before the active one. */
export const PREVIOUS_RULES = `where applied_at < (select applied_at from rule_sets ${ACTIVE_RULES}) and applied_at > 0
  order by applied_at desc limit 1`

/** The time of a rule set that is active already: applying it again does not change its time. */
export const timeIfActive = (
  active: AppliedRules | undefined,
  { stamp }: AppliedRules,
): number | undefined =>
  active?.stamp === stamp && active.source !== 'built-in' ? active.appliedAt : undefined
