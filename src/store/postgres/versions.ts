import type { Query } from './connection/query.ts'

/** Tells every node, when the transaction ends, to read again. It comes last: others wait for the row meanwhile. */
export async function incrementVersion(query: Query, name: 'ranking' | 'keys'): Promise<void> {
  await query('update versions set version = version + 1 where name = $1', [name])
}
