import type { Database } from 'bun:sqlite'
import type { Endpoint } from '../../domain/usage.ts'
import type { Days, Store } from '../store.ts'

type UsageRow = { day: string; key_id: string; endpoint: Endpoint; status: number; count: number }

/** Rows that are added up before a pause. */
const STEP = 500

/** Answers that cost nothing. */
const FREE = new Set([304, 429])

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

  const listNext = reader.query<UsageRow, [string, string, string, number, string, number]>(
    `select day, key_id, endpoint, status, count from usage
     where (day, key_id, endpoint, status) > (?, ?, ?, ?) and day <= ?
     order by day, key_id, endpoint, status limit ?`,
  )

  /** A month of many keys is long: requests have their turn after each step. */
  async function sumByKey({ since, until }: Days): Promise<[string, number][]> {
    const sums = new Map<string, number>()
    let last = { day: since, key_id: '', endpoint: '', status: 0 }
    for (;;) {
      const rows = listNext.all(last.day, last.key_id, last.endpoint, last.status, until, STEP)
      for (const { key_id, status, count } of rows) {
        if (key_id !== '' && !FREE.has(status)) sums.set(key_id, (sums.get(key_id) ?? 0) + count)
      }
      if (rows.length < STEP) return [...sums]
      last = rows.at(-1) as UsageRow
      await new Promise(setImmediate)
    }
  }

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
    sumByKey,
  } satisfies Store['usage']
}
