import { formatInstant } from '../../core/basics/text/instant.ts'
import { UsageError } from '../../core/cli/command.ts'
import type { Config } from '../../core/config/config.ts'
import { type RuleSet, toAppliedRules } from '../../core/scoring/stamped-rule-set.ts'
import { RULE_SETS } from '../../core/store/sql/rules.ts'
import type { Store } from '../../core/store/store.ts'

/**
 * Returns a function that applies the rule set in RULES, or does nothing if that rule set is active. Throws if a newer rule set
 * was applied, because RULES must not replace it.
 */
export async function prepareRulesSetting(
  store: Store,
  rules: RuleSet,
  { rules: path }: Config,
  now: number,
): Promise<() => Promise<void>> {
  if (path === undefined) return async () => undefined
  const active = await store.data(RULE_SETS).active()
  if (active?.stamp === rules.stamp) return async () => undefined
  const known = await store.data(RULE_SETS).find(rules.stamp)
  const mayReplace = active === undefined || active.source === 'RULES'
  if (!known && mayReplace)
    return async () => store.data(RULE_SETS).apply(toAppliedRules(rules, 'RULES', now))
  const reason =
    active && active.appliedAt > 0
      ? `rule set ${active.stamp} was applied ${formatInstant(active.appliedAt)}`
      : 'it was rolled back to the built-in rule set'
  throw new UsageError(
    `RULES names ${path} (rule set ${rules.stamp}), but ${reason}: unset RULES, or activate the file with "passportd rules apply ${path}".`,
  )
}
