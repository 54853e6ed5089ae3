import {
  ACTIVE_RULES,
  NEXT_APPLIED_AT,
  PREVIOUS_RULES,
  timeIfActive,
  toRuleSetRow,
} from '../rows/rule-set.ts'
import { createRulesReader, findRules } from '../sql/rules.ts'
import { createSettings } from '../sql/settings.ts'
import type { AppliedRules, RulesStore } from '../store.ts'
import { ACTIVE, toActivated } from '../write/rule-adoption.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { lock, RULES } from './connection/locks.ts'
import { type Query, upsertRows } from './connection/query.ts'
import { appendEvents } from './events.ts'
import { findAdoptionState } from './settings.ts'

/** `read` prefers the primary: scorers compare the active rule set with the one that the primary has. */
export function createRules({ query, transaction }: Pool, read: Query): RulesStore {
  return {
    ...createRulesReader(read, query),
    apply: (rules) =>
      transaction(async (query) => {
        await lock(query, RULES)
        const [next] = await query<{ time: string | null }>(`${NEXT_APPLIED_AT} $1`, [rules.appliedAt])
        const time = timeIfActive(await findRules(query, ACTIVE_RULES), rules) ?? next?.time
        await activate(query, { ...rules, appliedAt: Number(time ?? rules.appliedAt) }, rules.appliedAt)
      }),
    rollBack: (builtIn, now = Date.now()) =>
      transaction(async (query) => {
        await lock(query, RULES)
        const active = await findRules(query, ACTIVE_RULES)
        const next = (await findRules(query, PREVIOUS_RULES)) ?? builtIn
        if (!active || active.stamp === next.stamp) return undefined
        await activate(query, next, now)
        return next
      }),
  }
}

async function activate(query: Query, rules: AppliedRules, now: number): Promise<void> {
  const state = await findAdoptionState(query)
  await appendEvents(query, { events: toActivated(state, rules.stamp), removed: [] }, now)
  await upsertRows(query, 'rule_sets', 'stamp', [toRuleSetRow(rules)])
  await createSettings(query).set(ACTIVE, rules.stamp)
}
