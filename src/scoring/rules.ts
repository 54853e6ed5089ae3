import { digest } from '../domain/stable-id.ts'
import defaultRules from './default-rules.json' with { type: 'json' }
import type { Rule, RuleSetShape } from './rules-format.ts'

export type { Rule }
export type RuleSet = RuleSetShape & {
  /** The version with a digest of the contents: a rule changed under an old version is noticed. */
  stamp: string
}

export const ruleOf = (rules: RuleSet, type: string): Rule | undefined =>
  Object.hasOwn(rules.types, type) ? rules.types[type] : undefined

export const stampRules = (rules: RuleSetShape): RuleSet => ({
  ...rules,
  stamp: `${rules.version}+${digest(JSON.stringify(rules))}`,
})

/** Checked by a test, not at each start: the checker takes longer to load than most commands to run. */
export const DEFAULT_RULES: RuleSet = stampRules(defaultRules as RuleSetShape)
