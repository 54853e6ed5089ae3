import type { Database } from 'bun:sqlite'
import type { UsageCount } from '../../domain/usage.ts'
import { toUsageRow } from '../rows/usage.ts'
import type { Store } from '../store.ts'
import { prepareInsert } from './connection/statements.ts'

export function createUsage(writer: Database) {
  const count = prepareInsert(
    writer,
    'usage',
    'on conflict (day, key_id, endpoint, status) do update set count = count + excluded.count',
  )
  const use = writer.query('update keys set last_used_at = max(coalesce(last_used_at, 0), ?) where id = ?')

  const add = writer.transaction((counts: readonly UsageCount[], lastUsed: ReadonlyMap<string, number>) => {
    for (const each of counts) count.run(toUsageRow(each))
    for (const [id, time] of lastUsed) use.run(time, id)
  })

  return {
    add: (counts, lastUsed) => add.immediate(counts, lastUsed),
  } satisfies Pick<Store['usage'], 'add'>
}
