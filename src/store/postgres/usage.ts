import { toUsageCount, toUsageRow, type UsageRow } from '../rows/usage.ts'
import type { Store } from '../store.ts'
import type { Pool } from './connection/health-checked-pool.ts'
import { insertRows, selectRows } from './connection/query.ts'

export function createUsage({ longQuery, transaction }: Pool): Store['usage'] {
  return {
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
    async removeOldest(day) {
      const rows = await longQuery(
        'delete from usage where day = (select min(day) from usage where day < $1) returning 1 as one',
        [day],
      )
      return rows.length > 0
    },
    async sumByKey({ since, until }) {
      const rows = await longQuery<{ key_id: string; count: number }>(
        `select key_id, sum(count)::float8 as count from usage
         where day >= $1 and day <= $2 and key_id <> '' and status not in (304, 429) group by key_id`,
        [since, until],
      )
      return rows.map(({ key_id, count }) => [key_id, count])
    },
    async list({ since, until }) {
      const rows = await selectRows<UsageRow>(
        longQuery,
        'usage',
        'where day >= $1 and day <= $2 order by day, key_id, endpoint, status',
        [since, until],
      )
      return rows.map(toUsageCount)
    },
  }
}
