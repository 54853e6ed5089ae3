import type { Database } from 'bun:sqlite'
import type { UsageCount } from '../../domain/usage.ts'
import { toUsageCount, toUsageRow, type UsageRow } from '../rows/usage.ts'
import type { Store } from '../store.ts'
import { prepareInsert } from './statements.ts'

export function createUsage({ reader, writer }: { reader: Database; writer: Database }) {
  const count = prepareInsert(
    writer,
    'usage',
    'on conflict (day, key_id, endpoint, status) do update set count = count + excluded.count',
  )
  const use = writer.query('update keys set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?')
  const list = reader.query<UsageRow, [string, string]>(
    'select * from usage where day >= ? and day <= ? order by day, key_id, endpoint, status',
  )
  const sumByKey = reader.query<{ key_id: string; count: number }, [string, string]>(
    `select key_id, sum(count) as count from usage
     where day >= ? and day <= ? and key_id <> '' and status not in (304, 429) group by key_id`,
  )

  const removeOldest = writer.query<unknown, [string]>(
    'delete from usage where day = (select min(day) from usage where day < ?)',
  )

  const add = writer.transaction((counts: readonly UsageCount[], lastUsed: ReadonlyMap<string, number>) => {
    for (const each of counts) count.run(toUsageRow(each))
    for (const [id, time] of lastUsed) use.run(time, id)
  })

  return {
    add: (counts, lastUsed) => add.immediate(counts, lastUsed),
    removeOldest: (day) => removeOldest.run(day).changes > 0,
    list: ({ since, until }) => list.all(since, until).map(toUsageCount),
    sumByKey: ({ since, until }) => sumByKey.all(since, until).map(({ key_id, count }) => [key_id, count]),
  } satisfies Store['usage']
}
