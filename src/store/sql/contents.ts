import type { ApiKey } from '../../domain/api-key.ts'
import type { RetirementPlan } from '../../domain/retirement.ts'
import { ACTIVE_RULES } from '../rows/rule-set.ts'
import type { AppliedRules, Store } from '../store.ts'
import { PASSPORT_COUNTS, type PassportCounts, RECHECK_DELAY, STALE_COUNT } from './counts.ts'
import { OVERSIZED, type Oversized } from './oversized.ts'
import type { Query } from './query.ts'
import { findRules } from './rules.ts'
import { createCopying, createRetirement } from './settings.ts'

export type DatabaseContents = PassportCounts & {
  /** Passports that are stale after a short wait. */
  stillStale: number
  keys: ApiKey[]
  /** Largest first. */
  oversized: Oversized[]
  plan: RetirementPlan | undefined
  /** The active rule set; `undefined` for the built-in one. */
  rules: AppliedRules | undefined
  /** The note of a copy into this database. */
  copying: string | undefined
}

/** For diagnostics. */
export async function readContents(
  query: Query,
  keys: Pick<Store['keys'], 'list'>,
): Promise<DatabaseContents> {
  const [counts] = (await query(PASSPORT_COUNTS)) as [PassportCounts]
  if (counts.stale > 0) await Bun.sleep(RECHECK_DELAY)
  const [later] = await query<{ count: number }>(STALE_COUNT)
  return {
    ...counts,
    stillStale: later?.count ?? 0,
    keys: await keys.list(),
    oversized: await query<Oversized>(OVERSIZED),
    plan: await createRetirement(query, query).find(),
    rules: await findRules(query, ACTIVE_RULES),
    copying: await createCopying(query, query).find(),
  }
}
