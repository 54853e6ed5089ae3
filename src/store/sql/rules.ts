import { ACTIVE_RULES, ALL_RULES, type RuleSetRow, toAppliedRules } from '../rows/rule-set.ts'
import type { AppliedRules, RulesStore } from '../store.ts'
import type { Query } from './query.ts'

export const createRulesReader = (read: Query, write: Query): Omit<RulesStore, 'apply' | 'rollBack'> => ({
  find: (stamp) => findRules(read, 'where stamp = $1', [stamp]),
  listByStamps: (stamps) =>
    listRules(read, `where stamp in (${stamps.map((_, at) => `$${at + 1}`).join() || 'null'})`, stamps),
  active: () => findRules(read, ACTIVE_RULES),
  list: () => listRules(read, ALL_RULES),
  async keep({ stamp, body, appliedAt, source }) {
    if (await findRules(read, 'where stamp = $1', [stamp])) return
    await write(
      'insert into rule_sets (stamp, body, applied_at, source) values ($1, $2, $3, $4) on conflict do nothing',
      [stamp, body, appliedAt, source],
    )
  },
})

export const findRules = async (query: Query, rest: string, values: readonly string[] = []) =>
  (await listRules(query, rest, values))[0]

async function listRules(
  query: Query,
  rest: string,
  values: readonly string[] = [],
): Promise<AppliedRules[]> {
  const rows = await query<RuleSetRow>(
    `select stamp, body, cast(applied_at as double precision) as applied_at, source from rule_sets ${rest}`,
    values,
  )
  return rows.map(toAppliedRules)
}
