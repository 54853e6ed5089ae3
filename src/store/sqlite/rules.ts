import type { Database } from 'bun:sqlite'
import {
  ACTIVE_RULES,
  NEXT_APPLIED_AT,
  PREVIOUS_RULES,
  type RuleSetRow,
  timeIfActive,
  toAppliedRules,
  toRuleSetRow,
} from '../rows/rule-set.ts'
import type { AppliedRules, RulesStore } from '../store.ts'
import { ACTIVE, toActivated } from '../write/rule-adoption.ts'
import { prepareUpsert } from './connection/statements.ts'
import { createEventWriter } from './events.ts'
import { createAdoption, createSettings } from './settings.ts'

export function createRules(writer: Database) {
  const select = (rest: string) => writer.query<RuleSetRow, []>(`select * from rule_sets ${rest}`)
  const findPrevious = select(PREVIOUS_RULES)
  const active = select(ACTIVE_RULES)
  const nextTime = writer.query<{ time: number | null }, [number]>(`${NEXT_APPLIED_AT} ?`)
  const put = prepareUpsert(writer, 'rule_sets')
  const settings = createSettings(writer)
  const adoption = createAdoption(writer)
  const log = createEventWriter(writer)

  function activate(rules: AppliedRules, now: number): void {
    log.append({ events: toActivated(adoption.find(), rules.stamp), removed: [] }, now)
    put.run(toRuleSetRow(rules))
    settings.set(ACTIVE, rules.stamp)
  }

  const apply = writer.transaction((rules: AppliedRules) => {
    const time = timeIfActive(orUndefined(active.get()), rules) ?? nextTime.get(rules.appliedAt)?.time
    activate({ ...rules, appliedAt: time ?? rules.appliedAt }, rules.appliedAt)
  })

  const rollBack = writer.transaction((builtIn: AppliedRules, now: number): AppliedRules | undefined => {
    const active = settings.get(ACTIVE)
    const next = orUndefined(findPrevious.get()) ?? builtIn
    if (active === undefined || active === next.stamp) return undefined
    activate(next, now)
    return next
  })

  return {
    apply: (rules) => apply.immediate(rules),
    rollBack: (builtIn, now = Date.now()) => rollBack.immediate(builtIn, now),
  } satisfies Pick<RulesStore, 'apply' | 'rollBack'>
}

const orUndefined = (row: RuleSetRow | null) => (row === null ? undefined : toAppliedRules(row))
