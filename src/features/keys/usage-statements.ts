import type { UsageCount } from '../../core/http/request-counter.ts'
import { defineData } from '../../core/store/data.ts'
import type { Database } from '../../core/store/sql/connection.ts'
import type { UsageStore } from './usage.ts'

/** At most one call of each thread waits. */
export const USAGE = defineData({
  name: 'usage',
  tables: ['usage'],
  open: createUsage,
  writes: ['add'],
  isUrgent: true,
})

function createUsage({ long: { query: read }, transaction }: Database): UsageStore {
  return {
    add: (counts, lastUsed, inBrowser) =>
      transaction(async ({ query, insertRows }) => {
        // The key columns come first, so that rows are sorted by them.
        const rows = counts.map(({ day, key, endpoint, status, count }) => ({
          ...{ day, key_id: key, endpoint, status },
          count,
        }))
        await insertRows(
          'usage',
          // All nodes write in the same order, which prevents deadlocks.
          rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
          'on conflict (day, key_id, endpoint, status) do update set count = usage.count + excluded.count',
        )
        for (const [id, time] of [...lastUsed].sort()) {
          await query(
            `update keys set last_used_at = case when last_used_at > $1 then last_used_at else $1 end,
               seen_in_browser = case when $2 = 1 then 1 else seen_in_browser end where id = $3`,
            [time, Number(inBrowser?.has(id) ?? false), id],
          )
        }
      }),
    removeOldest: (day) =>
      transaction(async ({ query }) => {
        const rows = await query(
          'delete from usage where day = (select min(day) from usage where day < $1) returning 1 as one',
          [day],
        )
        return rows.length > 0
      }),
    async sumByKey({ since, until }) {
      const rows = await read<{ key_id: string; count: number }>(
        `select key_id, cast(sum(count) as bigint) as count from usage
         where day >= $1 and day <= $2 and key_id <> '' and status not in (304, 429) group by key_id`,
        [since, until],
      )
      return rows.map(({ key_id, count }) => [key_id, count])
    },
    list: ({ since, until }) =>
      read<UsageCount>(
        `select day, key_id as key, endpoint, status, count from usage
         where day >= $1 and day <= $2 order by day, key_id, endpoint, status`,
        [since, until],
      ),
  }
}
