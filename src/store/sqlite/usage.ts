import type { Database } from 'bun:sqlite'
import type { Endpoint } from '../../domain/usage.ts'
import type { Store } from '../store.ts'

type UsageRow = { day: string; key_id: string; endpoint: Endpoint; status: number; count: number }

export function createUsage({ reader, writer }: { reader: Database; writer: Database }) {
  const count = writer.query(
    `insert into usage (day, key_id, endpoint, status, count) values (?, ?, ?, ?, ?)
     on conflict (day, key_id, endpoint, status) do update set count = count + excluded.count`,
  )
  const use = writer.query('update keys set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?')
  const list = reader.query<UsageRow, [string, string]>(
    `select day, key_id, endpoint, status, count from usage where day >= ? and day <= ?
     order by day, key_id, endpoint, status`,
  )

  const sumByKey = reader.query<{ key_id: string; count: number }, [string, string]>(
    `select key_id, sum(count) as count from usage
     where day >= ? and day <= ? and key_id <> '' and status not in (304, 429) group by key_id`,
  )

  const add = writer.transaction(
    (counts: Parameters<Store['usage']['add']>[0], lastUsed: ReadonlyMap<string, number>) => {
      for (const { day, key, endpoint, status, count: more } of counts)
        count.run(day, key, endpoint, status, more)
      for (const [id, time] of lastUsed) use.run(time, id)
    },
  )

  return {
    add: (counts, lastUsed) => add.immediate(counts, lastUsed),
    list: ({ since, until }) =>
      list.all(since, until).map(({ key_id, ...row }) => ({
        day: row.day,
        key: key_id,
        endpoint: row.endpoint,
        status: row.status,
        count: row.count,
      })),
    sumByKey: ({ since, until }) => sumByKey.all(since, until).map(({ key_id, count }) => [key_id, count]),
  } satisfies Store['usage']
}
