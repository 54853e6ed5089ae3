import type { Query } from './connection/query.ts'

/** Makes every node read again after the commit. Call it last: it locks the row until the transaction ends. */
export async function incrementVersion(query: Query, name: 'ranking' | 'keys'): Promise<void> {
  await query('update versions set version = version + 1 where name = $1', [name])
}
