import type { ApiKey } from '../../domain/api-key.ts'
import { PASSPORT_COUNTS, type PassportCounts, RECHECK_DELAY, STALE_COUNT } from '../rows/counts.ts'
import { OVERSIZED, type Oversized } from '../rows/oversized.ts'
import type { Store } from '../store.ts'
import type { Query } from './query.ts'

export type DatabaseContents = PassportCounts & {
  /** Passports that are stale after a short wait. */
  stillStale: number
  keys: ApiKey[]
  /** Largest first. */
  oversized: Oversized[]
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
  }
}
