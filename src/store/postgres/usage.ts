import { toUsageRow } from '../rows/usage.ts'
import { createUsageReader } from '../sql/usage.ts'
import type { Store } from '../store.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { insertRows } from './connection/query.ts'

export function createUsage({ longQuery, transaction }: Pool): Store['usage'] {
  return {
    ...createUsageReader(longQuery, longQuery),
    add: (counts, lastUsed) =>
      transaction(async (query) => {
        // The same order on all nodes prevents deadlocks.
        const rows = counts.map(toUsageRow).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        await insertRows(
          query,
          'usage',
          rows,
          'on conflict (day, key_id, endpoint, status) do update set count = usage.count + excluded.count',
        )
        for (const [id, time] of [...lastUsed].sort()) {
          await query('update keys set last_used_at = greatest(last_used_at, $1::bigint) where id = $2', [
            time,
            id,
          ])
        }
      }),
  }
}
