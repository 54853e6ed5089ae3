import type { UsageCount } from '../../core/http/request-counter.ts'
import { defineData } from '../../core/store/data.ts'
import type { Database, Query } from '../../core/store/sql/connection.ts'
import type { UsageStore } from './usage.ts'

/** At most one call of each kind waits in each thread. The writer thread sums up a month for all server threads. */
export const USAGE = defineData({
  name: 'usage',
  tables: ['usage'],
  open: createUsage,
  writes: ['add', 'sumMonth'],
  isUrgent: true,
})

/** All server threads ask for the sums of the month about every ten seconds. */
const MONTH_MILLISECONDS = 5000

const ADD = 'on conflict (day, key_id, endpoint, status) do update set count = usage.count + excluded.count'

type Month = { day: string; expiresAt: number; sums: ReadonlyMap<string, number> }

function createUsage({ long: { query: read }, write, transaction }: Database): UsageStore {
  let month: Month = { day: '', expiresAt: 0, sums: new Map() }
  return {
    add: (counts, lastUsed, inBrowser) =>
      transaction(async ({ query, insertRows }) => {
        // The key columns come first, so that rows are sorted by them.
        const rows = counts.map(({ key, day, ...rest }) => ({ day, key_id: key, ...rest }))
        // All nodes write in the same order, which prevents deadlocks.
        rows.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
        await insertRows('usage', rows, ADD)
        for (const [id, time] of [...lastUsed].sort()) {
          await query(
            `update keys set last_used_at = case when last_used_at > $1 then last_used_at else $1 end,
               seen_in_browser = case when $2 = 1 then 1 else seen_in_browser end where id = $3`,
            [time, Number(inBrowser?.has(id) ?? false), id],
          )
        }
      }),
    async removeOldest(day) {
      const oldest = 'select min(day) from usage where day < $1'
      return (await write(`delete from usage where day = (${oldest}) returning 1 as one`, [day])).length > 0
    },
    async sumMonth(day) {
      if (day !== month.day || performance.now() > month.expiresAt)
        month = { day, expiresAt: performance.now() + MONTH_MILLISECONDS, sums: await sumByKey(read, day) }
      return month.sums
    },
    list: ({ since, until }) =>
      read<UsageCount>(
        `select day, key_id as key, endpoint, status, count from usage
         where day >= $1 and day <= $2 order by day, key_id, endpoint, status`,
        [since, until],
      ),
  }
}

async function sumByKey(query: Query, day: string): Promise<ReadonlyMap<string, number>> {
  const rows = await query<{ key_id: string; count: number }>(
    `select key_id, cast(sum(count) as bigint) as count from usage
     where day >= $1 and day <= $2 and key_id <> '' and status not in (304, 429) group by key_id`,
    [`${day.slice(0, 8)}01`, day],
  )
  return new Map(rows.map(({ key_id, count }) => [key_id, count]))
}
