import type { Rule, RuleSetShape } from '../domain/rule-set.ts'
import { digest } from '../domain/text/stable-id.ts'
import defaultRules from './default-rules.json' with { type: 'json' }

export type { Rule }
export type RuleSet = RuleSetShape & {
  /** The version and a digest of the contents: detects changes under the same version. */
  stamp: string
}

export const ruleOf = (rules: RuleSet, type: string): Rule | undefined =>
  Object.hasOwn(rules.types, type) ? rules.types[type] : undefined

/** The stamp covers the levels: the same stamp always has the same contents, and clients may cache them. */
export const stampRules = (rules: RuleSetShape): RuleSet => ({
  ...rules,
  stamp: `${rules.version}+${digest(JSON.stringify(rules))}`,
})

/** Validated by a test instead of at run time: the validator loads slowly. */
export const DEFAULT_RULES: RuleSet = stampRules(defaultRules as RuleSetShape)
