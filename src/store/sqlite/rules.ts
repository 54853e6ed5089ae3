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
import { ACTIVE } from '../rule-adoption.ts'
import type { AppliedRules, RulesStore } from '../store.ts'
import { createSettings } from './settings.ts'
import { prepareUpsert } from './statements.ts'

export function createRules({ reader, writer }: { reader: Database; writer: Database }) {
  const select = (database: Database, rest: string) =>
    database.query<RuleSetRow, string[]>(`select * from rule_sets ${rest}`)
  const find = select(reader, 'where stamp = ?')
  const findActive = select(reader, ACTIVE_RULES)
  const list = select(reader, 'order by applied_at desc')
  const findPrevious = select(writer, PREVIOUS_RULES)
  const active = select(writer, ACTIVE_RULES)
  const nextTime = writer.query<{ time: number | null }, [number]>(`${NEXT_APPLIED_AT} ?`)
  const put = prepareUpsert(writer, 'rule_sets')
  const settings = createSettings(writer)

  function activate(rules: AppliedRules): void {
    put.run(toRuleSetRow(rules))
    settings.set(ACTIVE, rules.stamp)
  }

  const apply = writer.transaction((rules: AppliedRules) => {
    const time = timeIfActive(orUndefined(active.get()), rules) ?? nextTime.get(rules.appliedAt)?.time
    activate({ ...rules, appliedAt: time ?? rules.appliedAt })
  })

  const rollBack = writer.transaction((builtIn: AppliedRules): AppliedRules | undefined => {
    const active = settings.get(ACTIVE)
    const next = orUndefined(findPrevious.get()) ?? builtIn
    if (active === undefined || active === next.stamp) return undefined
    activate(next)
    return next
  })

  return {
    find: (stamp) => orUndefined(find.get(stamp)),
    active: () => orUndefined(findActive.get()),
    list: () => list.all().map(toAppliedRules),
    apply: (rules) => apply.immediate(rules),
    rollBack: (builtIn) => rollBack.immediate(builtIn),
  } satisfies RulesStore
}

const orUndefined = (row: RuleSetRow | null) => (row === null ? undefined : toAppliedRules(row))
