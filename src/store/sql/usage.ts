import { toUsageCount, type UsageRow } from '../rows/usage.ts'
import type { Store } from '../store.ts'
import type { Query } from './query.ts'

export function createUsageReader(read: Query, write: Query): Omit<Store['usage'], 'add'> {
  return {
    async removeOldest(day) {
      const rows = await write(
        'delete from usage where day = (select min(day) from usage where day < $1) returning 1 as one',
        [day],
      )
      return rows.length > 0
    },
    async sumByKey({ since, until }) {
      const rows = await read<{ key_id: string; count: number }>(
        `select key_id, cast(sum(count) as double precision) as count from usage
         where day >= $1 and day <= $2 and key_id <> '' and status not in (304, 429) group by key_id`,
        [since, until],
      )
      return rows.map(({ key_id, count }) => [key_id, count])
    },
    async list({ since, until }) {
      const rows = await read<UsageRow>(
        `select day, key_id, endpoint, status, cast(count as double precision) as count from usage
         where day >= $1 and day <= $2 order by day, key_id, endpoint, status`,
        [since, until],
      )
      return rows.map(toUsageCount)
    },
  }
}
