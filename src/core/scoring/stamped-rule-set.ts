import { digest } from '../basics/text/stable-id.ts'
import type { Rule, RuleSetShape, WatchedTypes } from '../passport/rules/rule-set.ts'
import type { AppliedRules, RulesStore } from '../store/sql/rules.ts'
import { RULE_SETS } from '../store/sql/rules.ts'
import type { Store } from '../store/store.ts'
import defaultRules from './default-rules.json' with { type: 'json' }

export type { Rule }
export type RuleSet = RuleSetShape & {
  /** The version and a digest of the contents. The digest shows changes within a version. */
  stamp: string
}

export const ruleOf = (rules: RuleSet, type: string): Rule | undefined =>
  Object.hasOwn(rules.types, type) ? rules.types[type] : undefined

/** `undefined` if the rule sets have no such types. */
export function watchedTypesOf(...sets: readonly RuleSet[]): WatchedTypes | undefined {
  const rules = sets.flatMap(({ types }) => Object.entries(types))
  const unique = rules.flatMap(([type, rule]) => (rule.unique === undefined ? [] : [type]))
  const expiring = rules.flatMap(([type, rule]) => (rule.expires === undefined ? [] : [type]))
  return unique.length + expiring.length > 0 ? { unique, expiring } : undefined
}

/** The stamp covers all contents, levels included, so that clients may cache a rule set by its stamp. */
export const stampRules = (rules: RuleSetShape): RuleSet => ({
  ...rules,
  stamp: `${rules.version}+${digest(JSON.stringify(rules))}`,
})

/** Validated by a test instead of at run time: the validator loads slowly. */
export const DEFAULT_RULES: RuleSet = stampRules(defaultRules as RuleSetShape)

/** Stored rule sets were validated when they were applied. */
export const toRuleSet = ({ body, stamp }: Pick<AppliedRules, 'body' | 'stamp'>): RuleSet => ({
  ...JSON.parse(body),
  stamp,
})

export function toAppliedRules(rules: RuleSet, source: AppliedRules['source'], now: number): AppliedRules {
  const { stamp, ...shape } = rules
  return { stamp, body: JSON.stringify(shape), appliedAt: now, source }
}

/** The active rule set of the database; `initial` if none was ever applied. */
export const findRules = ({ data }: Pick<Store, 'data'>, initial = DEFAULT_RULES): Promise<RuleSet> =>
  findActiveRules(data(RULE_SETS), initial)

export async function findActiveRules(rules: Pick<RulesStore, 'active'>, initial = DEFAULT_RULES) {
  const active = await rules.active()
  return active ? toRuleSet(active) : initial
}
