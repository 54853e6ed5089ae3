import defaultRules from './default-rules.json' with { type: 'json' }
import type { RuleSetShape, RuleShape } from './rules-format.ts'

export type Rule = RuleShape
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

/** FNV-1a, 32 bits: enough to notice a change. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}

/** Checked by a test, not at each start: the checker takes longer to load than most commands to run. */
export const DEFAULT_RULES: RuleSet = stampRules(defaultRules as RuleSetShape)
