import { formatInstant } from '../../core/basics/text/instant.ts'
import { UsageError } from '../../core/cli/command.ts'
import { loadRules } from '../../core/scoring/load-rules.ts'
import { type RuleSet, toAppliedRules } from '../../core/scoring/stamped-rule-set.ts'
import { RULE_SETS } from '../../core/store/sql/rules.ts'
import type { Store } from '../../core/store/store.ts'
import type { UseOfStart } from '../../feature.ts'

/** Reads RULES, because an invalid rule set must stop the command instead of a thread. */
export async function prepareRules({ config: { rules: path }, now }: UseOfStart) {
  const rules = await loadRules(path)
  let isNew = false
  return {
    async beforeThreads(store: Store) {
      if (path !== undefined) isNew = await isToBeApplied(store, rules, path)
    },
    async beforeScoring(store: Store) {
      if (isNew) await store.data(RULE_SETS).apply(toAppliedRules(rules, 'RULES', now()))
    },
  }
}

/**
 * Returns false if the rule set is active. Throws if a newer rule set was applied, because RULES must not replace it.
 */
async function isToBeApplied(store: Store, rules: RuleSet, path: string): Promise<boolean> {
  const active = await store.data(RULE_SETS).active()
  if (active?.stamp === rules.stamp) return false
  const knownRules = await store.data(RULE_SETS).find(rules.stamp)
  if (!knownRules && (active === undefined || active.source === 'RULES')) return true
  const reason =
    active && active.appliedAt > 0
      ? `rule set ${active.stamp} was applied ${formatInstant(active.appliedAt)}`
      : 'it was rolled back to the built-in rule set'
  throw new UsageError(
    `RULES names ${path} (rule set ${rules.stamp}), but ${reason}: unset RULES, or activate the file with "passportd rules apply ${path}".`,
  )
}
